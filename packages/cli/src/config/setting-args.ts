import { Args } from '@oclif/core';

/** The arguments of commands that store a setting. */
export const settingArgs = {
  key: Args.string({
    ignoreStdin: true,
    description: 'data_dir, backup_target or url',
    required: true,
  }),
  value: Args.string({
    ignoreStdin: true,
    description: 'value; an empty one removes the setting',
    required: true,
  }),
};
