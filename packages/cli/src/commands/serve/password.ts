import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { askSecret } from '../../terminal/ask/ask-secret.ts';

export default class ServePassword extends LhsCommand {
  static override summary = 'Set the password of a user of the server over this data folder.';
  static override description =
    'Run it on the machine of the server, which may be running. It reads the password from the ' +
    'terminal, or the first line of standard input. A new user gets no role.';
  static override examples = [
    '<%= config.bin %> serve password ann',
    'pass show lhs/ann | <%= config.bin %> serve password ann --data-dir /var/lib/lhs',
  ];
  static override args = {
    user: Args.string({ ignoreStdin: true, description: 'name of the user', required: true }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(ServePassword);
    const lib = await import('@lakehouse-search/server');
    const password = lib.requirePassword(await askSecret(`password of ${args.user}: `));
    const values = lib.environmentValues(process.env);
    const options = lib.serverOptions(values, process.env, this.dataDir(flags));
    const store = await lib.openStore(options.store);
    try {
      const hash = await lib.hashPassword(password);
      const isNew = await store.users.add(args.user, hash, []);
      if (!isNew) await store.users.setPassword(args.user, hash);
      if (flags.json) return this.printJson({ user: args.user, new: isNew });
      this.print([`password of ${args.user} is set${isNew ? ': an admin gives roles' : ''}`]);
    } finally {
      await store.close();
    }
  }
}
