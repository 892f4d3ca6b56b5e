export { LhsCommand } from './base-command.ts';
export { run } from './main.ts';
