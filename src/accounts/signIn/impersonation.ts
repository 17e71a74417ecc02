import { type z } from 'zod';
import { merchantNow } from '../../adapters/clock';
import { logger } from '../../adapters/logger';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { acrossMerchants, afterCommit, apart } from '../../adapters/postgres/requestWork';
import { platformClientId } from '../../adapters/settings';
import { audit } from '../../audit/audit';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { normalizeEmail } from '../../kit/form';
import { queueMail, releaseMail, withdrawMail } from '../../mail/mail';
import { presentRelation } from '../merchants/followers.presenter';
import { getFollowing, openFollowerSession, transactionOfBoth, writeBoth } from '../merchants/followers';
import { Account } from '../accounts.model';
import { getClient } from '../../oauthApps/clients';
import { requirePassword } from './passwords';
import { presentAccount } from '../accounts.presenter';
import { listRequiredFields } from '../registerFields';
import { securityUrl } from '../securityLinks';
import { openSession } from '../tokens/tokens';
import { presentToken } from './impersonation.presenter';
import { type ImpersonateFollowerBody } from './impersonation.schemas';

type FollowerInput = z.output<typeof ImpersonateFollowerBody>;

const customerSeconds = 3600;

/** The audit entry is committed first, so that no session exists without an entry. */
export async function impersonateFollower(caller: Caller, input: FollowerInput, request: RequestFacts) {
  await requirePassword(caller, input.password);
  const following = await getFollowing(caller, input.sign_in_as);
  const { relation, follower } = following;
  const isSame = follower.uuid === input.uuid.toLowerCase() && follower.emailNormalized === normalizeEmail(input.email);
  if (!isSame) throw new AppError('account_does_not_exist');
  // The app can be the master's or the follower's, which is a merchant of its own.
  await acrossMerchants(() => checkClient(input.client_id, [caller.merchantId, follower.id]));
  await transactionOfBoth((inTransaction) =>
    writeBoth(inTransaction, caller, following, 'impersonation.start', request),
  );
  const tokens = await openFollowerSession(caller, following);
  return { ...presentRelation(relation), ...presentToken(tokens) };
}

export async function impersonateCustomer(caller: Caller, customerId: number, { requestId }: RequestFacts) {
  const { merchantId } = caller;
  const where = { id: customerId, merchantId, role: 'consumer', isActive: true } as const;
  const customer = await Account.findOne({ where });
  if (!customer) throw new AppError('account_does_not_exist');
  await transaction((inTransaction) =>
    audit(inTransaction, caller, { action: 'impersonation.start', object: ['account', customer.id], requestId }),
  );
  const tokens = await openSession(customer, caller.merchantUuid, {
    act: { accountUuid: caller.accountUuid, sessionId: caller.sessionId },
    lifetimeSeconds: customerSeconds,
  });
  return { ...presentToken(tokens), account: presentAccount(customer, await listRequiredFields(customer.merchantId)) };
}

/** The mail about a write waits for its outcome. It is sent after this time if the outcome is lost. */
const outcomeSeconds = 300;

/**
 * Does a write in another account's name. The entry in the audit log and the mail to a customer are committed before the
 * write, so that no write is without them. The mail is sent after the commit of the write, and withdrawn if the write is
 * refused. An actor of a consumer is its merchant or a follower.
 */
export async function recordActing(
  caller: Caller,
  { operation, requestId }: { operation: string; requestId: string },
  work: () => unknown,
): Promise<unknown> {
  const object = ['operation', operation] as const;
  const mailId = await apart(() =>
    transaction(async (inTransaction) => {
      const queued = caller.role === 'consumer' ? await queueActedMail(inTransaction, caller) : undefined;
      await audit(inTransaction, caller, { action: 'impersonation.write', object, requestId });
      return queued;
    }),
  );
  try {
    const result = await work();
    await afterCommit(() => settle(mailId, releaseMail));
    return result;
  } catch (error) {
    if (error instanceof AppError && error.status < 500)
      await settle(mailId, (id) => transaction((inTransaction) => withdrawMail(inTransaction, id)));
    throw error;
  }
}

/**
 * Never rejects, because the answer of the write must not depend on its mail. A request that holds a connection changes the
 * mail with it: requests that wait for a second connection could wait for each other.
 */
async function settle(mailId: number | undefined, change: (mailId: number) => Promise<unknown>): Promise<void> {
  if (mailId === undefined) return;
  await change(mailId).catch((error: unknown) =>
    logger.warn({ err: error, mailId }, 'the mail about a write in another name was not changed'),
  );
}

async function queueActedMail(inTransaction: Transaction, { merchantId, accountId }: Caller) {
  const account = await Account.findByPk(accountId, { transaction: inTransaction, rejectOnEmpty: true });
  const notBefore = new Date((await merchantNow(merchantId)).getTime() + outcomeSeconds * 1000);
  const values = { url: securityUrl(account) };
  const mail = { merchantId, accountId, to: account.email, template: 'acted_for_you', values, notBefore } as const;
  return queueMail(inTransaction, mail);
}

/** Requires a client of the master, of the follower, or of the platform. */
async function checkClient(clientId: string, merchantIds: readonly number[]): Promise<void> {
  if (clientId === platformClientId) return;
  const { merchantId } = await getClient(clientId);
  if (!merchantIds.includes(merchantId)) throw new AppError('invalid_client');
}
