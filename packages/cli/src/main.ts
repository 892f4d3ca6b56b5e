export const run = () => {};
