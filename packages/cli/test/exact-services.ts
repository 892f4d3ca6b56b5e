/**
 * The proposal of `index init` for the table own_vectors with `service` as one KEYWORD field, in
 * place of a TEXT field and its exact twin: commands are tested with names that sort and group.
 */
export const withExactServices = (proposal: string): string =>
  proposal
    .replace(/^ .*name: service, type: TEXT.*\n/m, '')
    .replace(
      /name: service_exact, .*fast: true/,
      'name: service, type: KEYWORD, fast: true, cached: true',
    )
    .replace(/^default_fields:.*$/m, 'default_fields: [title]');
