import fc from 'fast-check';

/**
 * One step of a schedule. Numbers are picks: they are taken modulo what there is to choose from
 * when the step is run, so that a schedule stays one when steps are left out.
 */
export type Operation =
  /** Rows with keys that the table does not have. */
  | { readonly op: 'append'; readonly keys: readonly number[]; readonly salt: number }
  | { readonly op: 'delete'; readonly keys: readonly number[] }
  | { readonly op: 'upsert'; readonly keys: readonly number[]; readonly salt: number }
  /** Upsert of rows that are there, of which only a column changes that no field is made of. */
  | { readonly op: 'touch'; readonly keys: readonly number[]; readonly salt: number }
  | { readonly op: 'overwrite'; readonly keys: readonly number[]; readonly salt: number }
  | { readonly op: 'compactTable' }
  /** From now on rows are deleted by delete files, or files are written anew. */
  | { readonly op: 'deleteMode'; readonly copies: boolean }
  | { readonly op: 'columns'; readonly change: ColumnChange }
  | { readonly op: 'rollback'; readonly snapshot: number }
  | { readonly op: 'tag'; readonly snapshot: number }
  | { readonly op: 'branch'; readonly snapshot: number }
  | { readonly op: 'appendToBranch'; readonly keys: readonly number[]; readonly salt: number }
  | { readonly op: 'cherryPick' }
  | { readonly op: 'expire'; readonly before: number; readonly deleteFiles: boolean }
  | { readonly op: 'sync'; readonly net: boolean }
  | { readonly op: 'syncUntil'; readonly snapshot: number; readonly net: boolean }
  /** The disk goes wrong at that operation of a sync, or of a reindex; or the model, at a text. */
  | {
      readonly op: 'fault';
      readonly kind: FaultKind;
      readonly at: number;
      readonly rebuild: boolean;
    }
  | { readonly op: 'reindex'; readonly snapshot: number | null }
  /** The definition follows the branch from now on, or main. */
  | { readonly op: 'switchRef' }
  | { readonly op: 'compactIndex' }
  | { readonly op: 'verify' }
  | { readonly op: 'reopen' };

export type FaultKind = 'fail' | 'tear' | 'crash' | 'model';
/** Changes of columns of the table; only `kind` and `n` are indexed. */
export type ColumnChange = 'renameKind' | 'widenN' | 'addOrDropSpare' | 'renameSpare';

/** Without bias: fast-check likes small numbers, and those that a schedule has had already. */
const pick = fc.noBias(fc.nat(1000));
const salt = fc.nat(11);
const keys = fc.array(fc.nat(23), { minLength: 1, maxLength: 6 });

const one = <O extends Operation['op']>(
  op: O,
  rest: { [K in keyof Omit<Extract<Operation, { op: O }>, 'op'>]: fc.Arbitrary<unknown> },
) => fc.record({ op: fc.constant(op), ...rest }) as unknown as fc.Arbitrary<Operation>;

/** Operations on the table. */
const ofTable = [
  { weight: 5, arbitrary: one('append', { keys, salt }) },
  { weight: 4, arbitrary: one('delete', { keys }) },
  { weight: 5, arbitrary: one('upsert', { keys, salt }) },
  { weight: 1, arbitrary: one('touch', { keys, salt }) },
  { weight: 1, arbitrary: one('overwrite', { keys, salt }) },
  { weight: 2, arbitrary: one('compactTable', {}) },
  { weight: 1, arbitrary: one('deleteMode', { copies: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: one('columns', {
      change: fc.constantFrom<ColumnChange>(
        'renameKind',
        'widenN',
        'addOrDropSpare',
        'renameSpare',
      ),
    }),
  },
  { weight: 4, arbitrary: one('rollback', { snapshot: pick }) },
  { weight: 1, arbitrary: one('tag', { snapshot: pick }) },
  { weight: 3, arbitrary: one('branch', { snapshot: pick }) },
  { weight: 4, arbitrary: one('appendToBranch', { keys, salt }) },
  { weight: 2, arbitrary: one('cherryPick', {}) },
  { weight: 3, arbitrary: one('expire', { before: pick, deleteFiles: fc.boolean() }) },
];

/** One operation, those that move rows and those that sync most often. */
const operation: fc.Arbitrary<Operation> = fc.oneof(
  ...ofTable,
  { weight: 8, arbitrary: one('sync', { net: fc.boolean() }) },
  { weight: 4, arbitrary: one('syncUntil', { snapshot: pick, net: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: one('fault', {
      kind: fc.constantFrom<FaultKind>('fail', 'tear', 'crash', 'model'),
      at: fc.noBias(fc.integer({ min: 1, max: 120 })),
      rebuild: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: one('reindex', { snapshot: fc.option(pick) }) },
  { weight: 3, arbitrary: one('switchRef', {}) },
  { weight: 1, arbitrary: one('compactIndex', {}) },
  { weight: 1, arbitrary: one('verify', {}) },
  { weight: 1, arbitrary: one('reopen', {}) },
);

/** Changes of a table, in an order. */
export const changes = (): fc.Arbitrary<Operation[]> =>
  fc.noBias(fc.array(fc.oneof(...ofTable), { minLength: 5, maxLength: 24, size: 'max' }));

/** What schedules are made of: operations, in an order. */
export const operations = (): fc.Arbitrary<Operation[]> =>
  fc.noBias(fc.array(operation, { minLength: 7, maxLength: 14, size: 'max' }));
