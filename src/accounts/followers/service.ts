import { type z } from 'zod';
import { sendNow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { actorOf, writeAudit } from '../../audit/service';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { removeRecipient } from '../../reports/schedules/service';
import { presentToken } from '../impersonation/presenter';
import { mailToken } from '../mailedTokens/service';
import { type Account } from '../model';
import { hashNewPassword } from '../passwords/service';
import { presentAccount } from '../presenter';
import { insertMerchant, refusingTakenEmail } from '../service';
import { forgetWithCommit } from '../tokens/callers/service';
import { endSessions, openSession } from '../tokens/service';
import { FollowerRelation, isMethodAllowed } from './model';
import { presentFollower, presentRelation } from './presenter';
import { type CreateFollowerBody, type UpdateRelationBody } from './schemas';

type FollowerInput = z.output<typeof CreateFollowerBody>;

/** A relation that stands, with the follower's account. */
export interface Following {
  relation: FollowerRelation;
  follower: Account;
}

const impersonationSeconds = 3600;

/** Makes a merchant account that follows the caller, or takes a former follower back. */
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

/** By id, those that stand. */
export async function listFollowers(caller: Caller) {
  const relations = await FollowerRelation.findAll({
    where: { masterId: caller.accountId, removedAt: null },
    include: 'follower',
    order: [['followerId', 'ASC']],
  });
  return relations.flatMap((relation) => (relation.follower ? [presentFollower(relation, relation.follower)] : []));
}

/** What the follower may do changes at once on every replica, in the sessions that it has. */
export async function updateRelation(
  caller: Caller,
  input: z.output<typeof UpdateRelationBody>,
  request: RequestFacts,
) {
  return transaction(async (inTransaction) => {
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

/** The follower keeps its account, has no scopes, and is mailed no reports: a removed relation never widens what it may do. */
export async function removeRelation(caller: Caller, followerId: number, request: RequestFacts) {
  const promises = await transaction(async (inTransaction) => {
    const following = await getFollowing(caller, followerId, inTransaction);
    await following.relation.update({ removedAt: new Date() }, { transaction: inTransaction });
    await endSessions(inTransaction, { accountId: followerId });
    await writeBoth(inTransaction, caller, following, 'follower.remove', request);
    return removeRecipient(inTransaction, caller, following.follower.email, request);
  });
  for (const promise of promises) await sendNow(promise);
  return message('The relation has been successfully removed');
}

/** The caller's follower; anybody else is one that does not exist (decisions 2). */
export async function getFollowing(
  caller: Caller,
  followerId: number,
  inTransaction?: Transaction,
): Promise<Following> {
  const relation = await FollowerRelation.findOne({
    where: { followerId, masterId: caller.accountId, removedAt: null },
    include: 'follower',
    ...(inTransaction && {
      transaction: inTransaction,
      lock: { level: inTransaction.LOCK.UPDATE, of: FollowerRelation },
    }),
  });
  if (!relation?.follower?.isActive) throw new AppError('account_does_not_exist');
  return { relation, follower: relation.follower };
}

/** A session as the follower: what the relation allows, as long as it stands and as the caller's own session lives. */
export function openFollowerSession(caller: Caller, { follower }: Following) {
  return openSession(follower, follower.uuid, {
    act: { accountUuid: caller.accountUuid, sessionId: caller.sessionId },
    lifetimeSeconds: impersonationSeconds,
  });
}

/** Whether a merchant's customers may pay by a method: a follower's master may have switched it off. */
export const allowsMethod = isMethodAllowed;

export async function refuseForbiddenMethod(merchantId: number, methodId: number): Promise<void> {
  if (!(await allowsMethod(merchantId, methodId)))
    throw new AppError('invalid_input', { errors: { payment_method: 'The payment_method is not available.' } });
}

async function insertFollower(caller: Caller, input: FollowerInput, request: RequestFacts): Promise<Following> {
  const { full_name, email, password } = input;
  if (full_name === undefined || email === undefined || password === undefined)
    throw new AppError('missing_parameter', { errors: missing({ full_name, email, password }) });
  const newPassword = { password, confirmation: password, email, merchant: { name: full_name } };
  const passwordHash = await hashNewPassword(newPassword);
  const create = (inTransaction: Transaction) =>
    insertMerchant({ full_name, username: email }, passwordHash, inTransaction);
  const createBoth = async (inTransaction: Transaction): Promise<Following> => {
    const follower = await refusingTakenEmail(() => create(inTransaction));
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
  return transaction(createBoth);
}

/**
 * Only an account that this master made follows it: the id of somebody else's would be enough to take an account over.
 * What the relation gives is said anew.
 */
async function restoreRelation(
  caller: Caller,
  followerId: number,
  input: FollowerInput,
  request: RequestFacts,
): Promise<Following> {
  return transaction(async (inTransaction) => {
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

/** In both logs, the lower tenant first, so that two of these never wait for each other. */
export async function writeBoth(
  inTransaction: Transaction,
  caller: Caller,
  { follower }: Following,
  action: `${string}.${string}`,
  { requestId }: RequestFacts,
): Promise<void> {
  const entry = { action, objectType: 'account', objectId: follower.id, requestId };
  const ours = { ...actorOf(caller), ...entry };
  const theirs = { ...ours, merchantId: follower.id, actorAccountId: follower.id, actedBy: caller.accountUuid };
  for (const side of [ours, theirs].sort((a, b) => a.merchantId - b.merchantId)) await writeAudit(inTransaction, side);
}

function missing(fields: Record<string, unknown>): Record<string, string> {
  const absent = Object.keys(fields).filter((name) => fields[name] === undefined);
  return Object.fromEntries(absent.map((name) => [name, `The ${name} must not be empty.`]));
}
