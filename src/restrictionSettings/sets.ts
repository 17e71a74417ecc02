import { type Model, type ModelStatic } from 'sequelize';
import { getOwned, type Transaction } from '../adapters/postgres/connection';
import { isAtLimit } from '../adapters/postgres/limits';
import { type Caller } from '../kit/auth';
import { AppError, type ErrorCode } from '../kit/errors';
import { type ListType } from '../restrictions/restrictions';
import { changeRules, type RuleChange } from '../restrictions/rules';

/** What differs between country sets and geo sets. */
interface SetKind<S extends Model> {
  model: ModelStatic<S>;
  name: 'country_set' | 'geo_set';
  /** The association with the places of a set. */
  places: string;
  notFound: ErrorCode;
}

interface SetInput {
  name: string;
  type: ListType;
  global: boolean;
}

/** A limit, because the sets are kept in memory with the merchant's rules. */
const setsMax = 500;

export const columnsOf = ({ name, type, global: isGlobal }: SetInput) => ({ name, type, isGlobal });

export function getSet<S extends Model>(
  { model, places, notFound }: SetKind<S>,
  { merchantId }: Caller,
  setId: number,
  inTransaction?: Transaction,
): Promise<S> {
  return getOwned<S>(model, merchantId, setId, notFound, { include: places, transaction: inTransaction });
}

/** Creates a set with its places. `insert` returns its id. */
export function createSet<S extends Model & { id: number }>(
  kind: SetKind<S>,
  caller: Caller,
  insert: (inTransaction: Transaction) => Promise<number>,
): Promise<S> {
  const { merchantId } = caller;
  const change = ({ id }: S): RuleChange => ({ action: `restriction.create_${kind.name}`, object: [kind.name, id] });
  return changeRules(caller, change, async (inTransaction) => {
    if (await isAtLimit(kind.model, { merchantId, max: setsMax }, inTransaction)) {
      const name = `There are ${setsMax} ${kind.name.replace('_', ' ')}s already.`;
      throw new AppError('invalid_input', { errors: { name } });
    }
    return getSet(kind, caller, await insert(inTransaction), inTransaction);
  });
}

/** Changes a locked set, so that concurrent changes do not combine their places. */
export function changeSet<S extends Model, T>(
  { model, notFound }: SetKind<S>,
  caller: Caller,
  { setId, ...change }: RuleChange & { setId: number },
  work: (set: S, inTransaction: Transaction) => Promise<T>,
): Promise<T> {
  return changeRules(caller, change, async (inTransaction) => {
    const locked = { transaction: inTransaction, lock: true };
    return work(await getOwned<S>(model, caller.merchantId, setId, notFound, locked), inTransaction);
  });
}
