import { Op, type WhereOptions } from 'sequelize';
import { type z } from 'zod';
import { sendNow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { acrossMerchants } from '../../adapters/postgres/requestWork';
import { throttleAttempts } from '../../adapters/postgres/throttling';
import { platformClientId } from '../../adapters/settings';
import { audit } from '../../audit/audit';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { normalizeEmail } from '../../kit/form';
import { message, type PageQuery, wholeRange } from '../../kit/page';
import { type MethodName, paymentMethods } from '../../kit/paymentMethods';
import { presentToken } from '../signIn/impersonation.presenter';
import { mailToken } from '../signIn/mailedTokens';
import { type Account } from '../accounts.model';
import { hashNewPassword } from '../signIn/passwords';
import { presentAccount } from '../accounts.presenter';
import { getAccountRow, insertMerchant, isTakenEmail } from '../accounts';
import { reportDeparture } from '../departures';
import { forgetWithCommit } from '../tokens/callers';
import { endSessions, openSession } from '../tokens/tokens';
import { inheritWaiting } from './states.model';
import { FollowerRelation, isMethodEnabled } from './followers.model';
import { presentFollower, presentRelation } from './followers.presenter';
import { type CreateFollowerBody, type UpdateRelationBody } from './followers.schemas';

type FollowerInput = z.output<typeof CreateFollowerBody>;

/** An existing relation with the follower's account. */
export interface FollowerWithRelation {
  relation: FollowerRelation;
  follower: Account;
}

const impersonationSeconds = 3600;

/** A transaction with rows of the master and of a follower, which is a merchant of its own. */
export const transactionOfBoth = <T>(work: (inTransaction: Transaction) => Promise<T>): Promise<T> =>
  acrossMerchants(() => transaction(work));

/** Creates a merchant account that follows the caller, or restores the relation to a former follower. */
export async function createFollower(caller: Caller, input: FollowerInput, request: RequestFacts) {
  if (input.master_id !== undefined && input.master_id !== caller.accountId)
    throw new AppError('account_does_not_exist');
  const { follower_id: followerId } = input;
  const following =
    followerId === undefined
      ? await insertFollower(caller, input, request)
      : await restoreRelation(caller, followerId, input, request);
  const tokens = await openFollowerSession(caller, following);
  const { relation, follower } = following;
  const account = { ...presentAccount(follower, []), master_id: relation.masterId, scopes: relation.scopes };
  return { ...presentToken(tokens), account };
}

/** Lists the existing relations by id. */
export async function listFollowers(caller: Caller, query: z.output<typeof PageQuery>) {
  const { limit, offset } = wholeRange(query);
  return findFollowers({ masterId: caller.accountId, removedAt: null }, { limit, offset });
}

/** Reads the list from the entry after an id, for an export. */
export function readFollowersAfter(caller: Caller, limit: number, after = 0) {
  return findFollowers({ masterId: caller.accountId, removedAt: null, followerId: { [Op.gt]: after } }, { limit });
}

async function findFollowers(where: WhereOptions<FollowerRelation>, part: { limit: number; offset?: number }) {
  const order: [string, string][] = [['followerId', 'ASC']];
  const relations = await acrossMerchants(() =>
    FollowerRelation.findAll({ where, include: 'follower', order, ...part }),
  );
  return relations.flatMap((relation) => (relation.follower ? [presentFollower(relation, relation.follower)] : []));
}

/** Changes the follower's rights. They apply immediately to its existing sessions on every replica. */
export async function updateRelation(
  caller: Caller,
  input: z.output<typeof UpdateRelationBody>,
  request: RequestFacts,
) {
  return transactionOfBoth(async (inTransaction) => {
    const following = await getFollowing(caller, input.follower_id, inTransaction);
    const { relation } = following;
    await relation.update(
      { scopes: input.scopes, ...(input.methods && { methods: input.methods }) },
      { transaction: inTransaction },
    );
    forgetWithCommit(inTransaction, relation.followerId);
    await writeBoth(inTransaction, caller, following, 'follower.update', request);
    return presentRelation(relation);
  });
}

/** Ends a relation. The follower keeps its account, but loses all scopes and receives no further reports. */
export async function removeRelation(caller: Caller, followerId: number, request: RequestFacts) {
  const messages = await transactionOfBoth(async (inTransaction) => {
    const following = await getFollowing(caller, followerId, inTransaction);
    await following.relation.update({ removedAt: new Date() }, { transaction: inTransaction });
    const left = await reportDeparture(inTransaction, caller, following.follower, request);
    await writeBoth(inTransaction, caller, following, 'follower.remove', request);
    await endSessions(inTransaction, { accountId: followerId });
    return left;
  });
  for (const queued of messages) await sendNow(queued);
  return message('The relation has been successfully removed');
}

/** The caller's follower. Any other account gets the same response as an unknown one. */
export async function getFollowing(
  caller: Caller,
  followerId: number,
  inTransaction?: Transaction,
): Promise<FollowerWithRelation> {
  const locked = inTransaction && {
    transaction: inTransaction,
    lock: { level: inTransaction.LOCK.UPDATE, of: FollowerRelation },
  };
  const where = { followerId, masterId: caller.accountId, removedAt: null };
  const relation = await acrossMerchants(() => FollowerRelation.findOne({ where, include: 'follower', ...locked }));
  if (!relation?.follower?.isActive) throw new AppError('account_does_not_exist');
  return { relation, follower: relation.follower };
}

/**
 * Opens a session as the follower. It has the rights of the relation and ends with the relation or with the caller's
 * session.
 */
export function openFollowerSession(caller: Caller, { follower }: FollowerWithRelation) {
  const act = { accountUuid: caller.accountUuid, sessionId: caller.sessionId };
  return acrossMerchants(() => openSession(follower, follower.uuid, { act, lifetimeSeconds: impersonationSeconds }));
}

/** Whether a merchant's customers may pay by a method. A follower's master can turn methods off. */
export const allowsMethod = (merchantId: number, name: MethodName) =>
  isMethodEnabled(merchantId, { id: paymentMethods[name].id, name });

async function insertFollower(
  caller: Caller,
  input: FollowerInput,
  request: RequestFacts,
): Promise<FollowerWithRelation> {
  const { full_name, email, password } = input;
  if (full_name === undefined || email === undefined || password === undefined)
    throw new AppError('missing_parameter', { errors: missing({ full_name, email, password }) });
  const newPassword = { password, confirmation: password, email, merchant: { name: full_name } };
  const passwordHash = await hashNewPassword(newPassword);
  const { language } = await getAccountRow(caller.accountId);
  const createBoth = async (inTransaction: Transaction): Promise<FollowerWithRelation> => {
    const follower = await insertMerchant({ full_name, username: email, language }, passwordHash, inTransaction);
    await inheritWaiting(inTransaction, follower.id, caller.accountId);
    await mailToken(inTransaction, follower, 'activation');
    const relation = await FollowerRelation.create(
      {
        followerId: follower.id,
        masterId: caller.accountId,
        scopes: input.scopes ?? [],
        methods: input.methods ?? {},
      },
      { transaction: inTransaction, returning: true },
    );
    const following = { relation: await relation.reload({ transaction: inTransaction }), follower };
    await writeBoth(inTransaction, caller, following, 'follower.create', request);
    return following;
  };
  // The response reveals whether a merchant has the address, as a registration does.
  const subject = `${platformClientId}:${normalizeEmail(email)}`;
  const attempt = { kind: 'registration', subject, address: caller.clientAddress } as const;
  const following = await throttleAttempts(attempt, () => transactionOfBoth(createBoth).catch(undefinedIfTaken));
  if (!following) throw new AppError('account_exists');
  return following;
}

function undefinedIfTaken(error: unknown): undefined {
  if (isTakenEmail(error)) return undefined;
  throw error;
}

/**
 * Restores a relation with the given rights. Only an account that this master created can follow it again. Otherwise, a
 * master could take over another account by its id.
 */
async function restoreRelation(
  caller: Caller,
  followerId: number,
  input: FollowerInput,
  request: RequestFacts,
): Promise<FollowerWithRelation> {
  return transactionOfBoth(async (inTransaction) => {
    const relation = await FollowerRelation.findOne({
      where: { followerId, masterId: caller.accountId },
      transaction: inTransaction,
      lock: inTransaction.LOCK.UPDATE,
    });
    if (!relation) throw new AppError('account_does_not_exist');
    if (relation.removedAt === null) throw new AppError('follower_exists');
    await relation.update(
      { scopes: input.scopes ?? [], methods: input.methods ?? {}, removedAt: null },
      { transaction: inTransaction },
    );
    forgetWithCommit(inTransaction, followerId);
    const following = await getFollowing(caller, followerId, inTransaction);
    await writeBoth(inTransaction, caller, following, 'follower.restore', request);
    return following;
  });
}

/** Writes to both audit logs, the lower tenant first, so that two transactions cannot deadlock. */
export async function writeBoth(
  inTransaction: Transaction,
  caller: Caller,
  { follower }: FollowerWithRelation,
  action: `${string}.${string}`,
  { requestId }: RequestFacts,
): Promise<void> {
  const { id } = follower;
  const theirs = { ...caller, merchantId: id, accountId: id, actorUuid: caller.accountUuid };
  for (const actor of [caller, theirs].sort((a, b) => a.merchantId - b.merchantId))
    await audit(inTransaction, actor, { action, object: ['account', id], requestId });
}

function missing(fields: Record<string, unknown>): Record<string, string> {
  const absent = Object.keys(fields).filter((name) => fields[name] === undefined);
  return Object.fromEntries(absent.map((name) => [name, `The ${name} must not be empty.`]));
}
