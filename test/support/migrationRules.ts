import { parse } from 'libpg-query';
import { isConcurrent, neededBy, type Migration } from '../../src/adapters/postgres/migrations';

/**
 * The rules of migrations after the first release. Programs of the release before run meanwhile, on tables with millions of
 * rows. So a migration does not rewrite or scan a table while it blocks others, and takes nothing away without saying
 * which programs can do without it.
 */

interface Node {
  [kind: string]: Record<string, unknown> | undefined;
}
type Fields = Record<string, unknown>;

/** Changes of a table that take a moment, whatever its size. */
const quickChanges = [
  ...['AT_ColumnDefault', 'AT_DropNotNull', 'AT_DropConstraint', 'AT_SetStatistics', 'AT_SetRelOptions'],
  ...['AT_ResetRelOptions', 'AT_EnableTrig', 'AT_DisableTrig', 'AT_ChangeOwner', 'AT_EnableRowSecurity'],
];
const slow = 'rewrites or scans the table while it is locked';
const wholeTable = ['LockStmt', 'VacuumStmt', 'ClusterStmt', 'ReindexStmt', 'RefreshMatViewStmt', 'TruncateStmt'];
/** Kinds of objects that programs of the release before use. */
const used = ['OBJECT_TABLE', 'OBJECT_COLUMN', 'OBJECT_VIEW', 'OBJECT_FUNCTION', 'OBJECT_TYPE', 'OBJECT_SEQUENCE'];

/** What is wrong with a migration, one sentence for each fault. */
export async function faultsOfMigration(migration: Migration): Promise<string[]> {
  const { stmts = [] } = (await parse(migration.sql)) as unknown as { stmts?: { stmt: Node }[] };
  const statements = stmts.flatMap(({ stmt }) => Object.entries(stmt)).map(([kind, of]) => [kind, of ?? {}] as const);
  if (isConcurrent(migration)) return statements.flatMap(([kind, of]) => concurrentFaults(kind, of));
  const created = new Set(statements.filter(([kind]) => kind === 'CreateStmt').map(([, of]) => tableOf(of)));
  const isOld = (of: Fields) => !created.has(tableOf(of));
  return statements.flatMap(([kind, of]) => [
    ...(isOld(of) ? lockFaults(kind, of) : []),
    ...(neededBy(migration) === null ? removalFaults(kind, of) : []),
  ]);
}

const tableOf = ({ relation }: Fields) => (relation as { relname?: string } | undefined)?.relname ?? '';

function concurrentFaults(
  kind: string,
  { concurrent, if_not_exists: repeats, missing_ok: isOptional }: Fields,
): string[] {
  if (kind === 'IndexStmt' && concurrent === true && repeats === true) return [];
  if (kind === 'DropStmt' && concurrent === true && isOptional === true) return [];
  return [
    `${kind}: a file that ends with .concurrently only has CREATE INDEX CONCURRENTLY IF NOT EXISTS and DROP INDEX CONCURRENTLY IF EXISTS`,
  ];
}

function lockFaults(kind: string, of: Fields): string[] {
  if (kind === 'IndexStmt')
    return ['CREATE INDEX blocks writes: use CREATE INDEX CONCURRENTLY in a file that ends with .concurrently'];
  if (kind === 'UpdateStmt' || kind === 'DeleteStmt')
    return [`${kind} changes rows while it locks them: change them in batches, with a command or a workflow`];
  if (wholeTable.includes(kind)) return [`${kind} ${slow}`];
  if (kind !== 'AlterTableStmt' || of['objtype'] !== 'OBJECT_TABLE') return [];
  const changes = (of['cmds'] as { AlterTableCmd: Fields }[]).map(({ AlterTableCmd: change }) => change);
  return changes.flatMap((change) => changeFaults(change, changes.length));
}

function changeFaults({ subtype, def }: Fields, changes: number): string[] {
  const { ColumnDef: column, Constraint: constraint } = (def ?? {}) as Node;
  const kind = String(subtype);
  if (kind === 'AT_AddColumn') return columnFaults(column ?? {});
  if (kind === 'AT_AddConstraint') return constraintFaults(constraint ?? {});
  if (kind === 'AT_ValidateConstraint')
    return changes === 1 ? [] : ['VALIDATE CONSTRAINT needs a statement of its own, without other locks'];
  // Removals are found by their own rule.
  return quickChanges.includes(kind) || kind === 'AT_DropColumn'
    ? []
    : [`${kind} ${slow}, or is not known to be quick`];
}

function constraintFaults({ contype, skip_validation: isNotValid, indexname }: Fields): string[] {
  const checks = ['CONSTR_CHECK', 'CONSTR_FOREIGN'].includes(String(contype)) && isNotValid === true;
  const hasIndex = ['CONSTR_UNIQUE', 'CONSTR_PRIMARY'].includes(String(contype)) && indexname !== undefined;
  if (checks || hasIndex) return [];
  return [`ADD CONSTRAINT (${String(contype)}) ${slow}: use NOT VALID, or USING INDEX with an index that exists`];
}

function columnFaults({ constraints = [], typeName }: Fields): string[] {
  const rules = (constraints as { Constraint: Fields }[]).map(({ Constraint: rule }) => rule);
  const kinds = rules.map(({ contype }) => String(contype));
  const initial = rules.find(({ contype }) => contype === 'CONSTR_DEFAULT')?.['raw_expr'];
  const others = kinds.filter((kind) => !['CONSTR_NULL', 'CONSTR_NOTNULL', 'CONSTR_DEFAULT'].includes(kind));
  const isSerial = JSON.stringify(typeName ?? {}).includes('serial');
  return [
    ...(kinds.includes('CONSTR_NOTNULL') && initial === undefined
      ? ['ADD COLUMN with NOT NULL and no default fails on a table with rows']
      : []),
    ...(initial !== undefined && callsOtherThanNow(initial)
      ? [`ADD COLUMN with a default that differs by row ${slow}`]
      : []),
    ...(others.length > 0 || isSerial ? [`ADD COLUMN (${others.join(', ') || 'serial'}) ${slow}`] : []),
  ];
}

/** `now()` is one value for all rows of a transaction. */
function callsOtherThanNow(expression: unknown): boolean {
  const calls = JSON.stringify(expression).matchAll(/"FuncCall":\{"funcname":\[(.*?)\]/g);
  return [...calls].some(([, name]) => name !== '{"String":{"sval":"now"}}');
}

function removalFaults(kind: string, of: Fields): string[] {
  const fault = [`${kind} takes away what programs of the release before use: name the migration that they need`];
  if (kind === 'RenameStmt') return used.includes(String(of['renameType'])) ? fault : [];
  if (kind === 'DropStmt') return used.includes(String(of['removeType'])) ? fault : [];
  const changes = kind === 'AlterTableStmt' ? (of['cmds'] as { AlterTableCmd: Fields }[]) : [];
  return changes.some(({ AlterTableCmd: { subtype } }) => subtype === 'AT_DropColumn') ? fault : [];
}
