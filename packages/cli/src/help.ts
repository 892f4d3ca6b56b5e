import { CommandHelp, Help } from '@oclif/core';

/** Help of a command: examples first, then how it is used. */
class ExamplesFirst extends CommandHelp {
  protected override sections() {
    const sections = super.sections();
    const first = sections.filter((s) => s.header.startsWith('EXAMPLE'));
    return [...first, ...sections.filter((s) => !s.header.startsWith('EXAMPLE'))];
  }
}

/** The help class that package.json names. */
// biome-ignore lint/style/noDefaultExport: oclif loads the default export
export default class LhsHelp extends Help {
  protected override CommandHelpClass = ExamplesFirst;
}
