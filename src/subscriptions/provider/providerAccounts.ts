import { randomUUID } from 'node:crypto';
import { type z } from 'zod';
import { audit } from '../../audit/audit';
import { cardProvider, connectPlatform, stripeAccess, stripeAccounts } from '../../adapters/cardProviders';
import { type AccountProblem } from '../../adapters/cardProviders/stripeAccount';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { baseUrl, environmentName } from '../../adapters/settings';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { countUses, lockAccounts, ProviderAccount } from './providerAccounts.model';
import { presentProvider } from './providerAccounts.presenter';
import { type ProviderBody, type ProviderQuery } from './providerAccounts.schemas';
import { findWalletProblem, followConnectedAccount } from './connectedAccounts';
import { sealKeys, sharesAccount, unsealKeys, type AccountKeys } from './providers';
import { publicDomain } from './publicDomain';

/** The payment account that a merchant connects in the console. */

export async function getPaymentProvider({ merchantId }: Pick<Caller, 'merchantId'>) {
  const rows = await ProviderAccount.findAll({ where: { merchantId }, order: [['id', 'ASC']] });
  const connected = rows.filter(({ isConnected }) => isConnected);
  const current = connected.find(({ isCurrent }) => isCurrent);
  const below = connected.findLast(({ connectState }) => connectState !== null);
  const former = connected.filter((account) => !account.isCurrent && account !== below);
  const sources = { sandbox: 'sandbox', stripe: 'installation', none: 'none' } as const;
  const isShared = await sharesAccount(merchantId);
  const otherwise = isShared ? sources[cardProvider.name as keyof typeof sources] : 'none';
  const connectIsOffered = connectPlatform !== undefined;
  return presentProvider({ current, former, otherwise, below, connectIsOffered, notificationUrlOf });
}

const notificationUrlOf = ({ uuid }: Pick<ProviderAccount, 'uuid'>) =>
  `${baseUrl}/payments/stripe/notifications/${uuid}`;

const notPublic: AccountProblem = {
  field: 'domain',
  message: `${baseUrl} is not a public https address: Stripe sends no notifications there, and wallets are not offered.`,
};

/**
 * Connects an account. Keys that Stripe does not accept are refused. Any other problem is saved with the account. Other
 * keys of the same account replace its keys. Another account becomes the current one, and the former account keeps its
 * cards.
 */
export async function setPaymentProvider(
  caller: Caller,
  input: z.output<typeof ProviderBody>,
  { requestId }: RequestFacts,
) {
  const { merchantId } = caller;
  const { secret_key: secretKey, publishable_key: publishableKey } = input;
  const isLive = readMode(input);
  const { accountId, problems } = await stripeAccounts().checkAccount({ secretKey, publishableKey }, stripeAccess());
  const wrong = problems.filter(({ field }) => field !== 'account');
  if (accountId === undefined || wrong.length > 0) throw refused(wrong);
  const name = `stripe:${accountId}`;
  const known = await ProviderAccount.findOne({ where: { merchantId, name } });
  const uuid = known?.uuid ?? randomUUID();
  const registered = await register(secretKey, { uuid }, input.webhook_secret);
  const webhookSecret = registered.webhookSecret ?? readKeys(known)?.webhookSecret ?? '';
  const keys = { publishableKey, sealedKeys: sealKeys({ secretKey, webhookSecret }), keyEnding: secretKey.slice(-4) };
  const found = { isLive, problems: [...problems, ...registered.problems] };
  const isSaved = await saveAccount(caller, known, { uuid, merchantId, name, ...keys, ...found }, requestId);
  await stripeAccounts().deleteRegistrations(
    secretKey,
    isSaved ? registered.earlierIds : registered.ownIds,
    stripeAccess(),
  );
  if (!isSaved) throw new AppError('provider_changed');
  return getPaymentProvider(caller);
}

type AccountValues = Pick<
  ProviderAccount,
  'uuid' | 'merchantId' | 'name' | 'publishableKey' | 'sealedKeys' | 'keyEnding' | 'isLive' | 'problems'
>;

/** Makes the account the current one. False if another request has changed it since it was read. */
function saveAccount(
  caller: Caller,
  known: ProviderAccount | null,
  values: AccountValues,
  requestId: string,
): Promise<boolean> {
  const { merchantId, name } = values;
  const present = { isConnected: true, connectState: null, missing: [] };
  const current = { ...values, ...present, isCurrent: true, checkedAt: new Date(), updatedAt: new Date() };
  return transaction(async (inTransaction) => {
    if (await hasChanged(inTransaction, known, { merchantId, name })) return false;
    const options = { transaction: inTransaction };
    await ProviderAccount.update({ isCurrent: false }, { where: { merchantId, isCurrent: true }, ...options });
    if (known) await ProviderAccount.update(current, { where: { id: known.id }, ...options });
    else await ProviderAccount.create(current, options);
    await audit(inTransaction, caller, { action: 'payment_provider.set', object: ['account', name], requestId });
    return true;
  });
}

/**
 * True for live keys. The test environment refuses them, because its test clock creates renewals, and live keys would
 * charge for time that has not passed.
 */
function readMode({ secret_key: secretKey, publishable_key: publishableKey }: z.output<typeof ProviderBody>): boolean {
  const isLive = isLiveKey(secretKey);
  if (isLive !== isLiveKey(publishableKey))
    throw refused([
      {
        field: 'publishable_key',
        message: 'The publishable_key must have the same mode, live or test, as the secret_key.',
      },
    ]);
  if (isLive && environmentName === 'test')
    throw refused([{ field: 'secret_key', message: 'The secret_key must be a test key: this is a test environment.' }]);
  return isLive;
}

const isLiveKey = (key: string) => /^.k_live_/.test(key);

function refused(problems: readonly AccountProblem[]): AppError {
  return new AppError('invalid_input', { errors: Object.fromEntries(problems.map((one) => [one.field, one.message])) });
}

interface Registered {
  /** Undefined if the earlier secret stays. */
  webhookSecret: string | undefined;
  /** The webhook endpoints that this request has added at Stripe, and those that it replaces. */
  ownIds: string[];
  earlierIds: string[];
  problems: AccountProblem[];
}

async function register(
  secretKey: string,
  account: Pick<ProviderAccount, 'uuid'>,
  given: string | undefined,
): Promise<Registered> {
  const unchanged = { webhookSecret: given, ownIds: [], earlierIds: [] };
  if (publicDomain === undefined) return { ...unchanged, problems: [notPublic] };
  const domainProblem = await stripeAccounts().registerDomain(secretKey, publicDomain, stripeAccess());
  const problems = domainProblem ? [domainProblem] : [];
  if (given !== undefined) return { ...unchanged, problems };
  const registered = await stripeAccounts().registerNotifications(
    secretKey,
    notificationUrlOf(account),
    stripeAccess(),
  );
  if ('problem' in registered) return { ...unchanged, problems: [...problems, registered.problem] };
  const { id, webhookSecret, earlierIds } = registered;
  return { webhookSecret, ownIds: [id], earlierIds, problems };
}

function readKeys(account: ProviderAccount | null): AccountKeys | undefined {
  return account?.sealedKeys ? unsealKeys(account.sealedKeys) : undefined;
}

/**
 * Whether another request has changed the account. Of two concurrent requests only the first is saved, so that the
 * saved secret is that of the endpoint at Stripe.
 */
async function hasChanged(
  inTransaction: Transaction,
  known: ProviderAccount | null,
  of: { merchantId: number; name: string },
): Promise<boolean> {
  await lockAccounts(inTransaction, of.merchantId);
  const present = await ProviderAccount.findOne({ where: of, transaction: inTransaction, lock: true });
  return present?.updatedAt.getTime() !== known?.updatedAt.getTime();
}

/** Tests the account at Stripe again, and saves the problems. */
export async function testPaymentProvider({ merchantId }: Caller) {
  const account = await getTested(merchantId);
  const problems = account.connectState === null ? await findProblems(account) : await findProblemsBelow(account);
  await account.update({ problems, checkedAt: new Date() });
  return { is_valid: problems.length === 0, problems };
}

/** The current account, or else the one below the platform that takes no payments yet. */
async function getTested(merchantId: number): Promise<ProviderAccount> {
  const where = { merchantId, isConnected: true };
  const accounts = await ProviderAccount.findAll({ where, order: [['id', 'DESC']] });
  const isBelow = ({ connectState }: ProviderAccount) => connectState !== null && connectState !== 'deauthorized';
  const account = accounts.find((one) => one.isCurrent) ?? accounts.find(isBelow);
  if (!account) throw new AppError('provider_not_connected');
  return account;
}

async function findProblemsBelow(account: ProviderAccount): Promise<AccountProblem[]> {
  if (!connectPlatform)
    return [{ field: 'account', message: 'The platform of this account is not configured. Tell the operator.' }];
  await followConnectedAccount(account);
  await account.reload();
  if (account.connectState !== 'active')
    return [{ field: 'account', message: `Stripe does not let this account take payments (${account.connectState}).` }];
  const problem = await findWalletProblem(account.name);
  return problem ? [problem] : [];
}

async function findProblems(account: ProviderAccount): Promise<AccountProblem[]> {
  const keys = readKeys(account);
  if (!keys) return [unreadable];
  const { secretKey } = keys;
  const { problems } = await stripeAccounts().checkAccount(
    { secretKey, publishableKey: account.publishableKey },
    stripeAccess(),
  );
  if (problems.some(({ field }) => field === 'secret_key')) return problems;
  if (publicDomain === undefined) return [...problems, notPublic];
  const further = [
    await stripeAccounts().checkNotifications(secretKey, notificationUrlOf(account), stripeAccess()),
    await stripeAccounts().registerDomain(secretKey, publicDomain, stripeAccess()),
  ];
  return [...problems, ...further.filter((problem) => problem !== undefined)];
}

const unreadable: AccountProblem = {
  field: 'secret_key',
  message: 'The keys were sealed with another ENCRYPTION_KEY: enter them again.',
};

/** Deletes the keys. Refused while something still needs the account. */
export async function deletePaymentProvider(
  caller: Caller,
  { account: accountId }: z.output<typeof ProviderQuery>,
  { requestId }: RequestFacts,
) {
  const { merchantId } = caller;
  const which = accountId === undefined ? { isCurrent: true } : { name: `stripe:${accountId}` };
  await transaction(async (inTransaction) => {
    const account = await getAccount({ merchantId, ...which }, inTransaction);
    const { subscriptions, open } = await countUses(inTransaction, account);
    if (subscriptions + open > 0)
      throw new AppError('provider_in_use', {
        explain: `Subscriptions that renew with cards of this account: ${subscriptions}. Charges and refunds without an outcome: ${open}.`,
      });
    const changes = { sealedKeys: null, isConnected: false, isCurrent: false, updatedAt: new Date() };
    await account.update(changes, { transaction: inTransaction });
    const object = ['account', account.name] as const;
    await audit(inTransaction, caller, { action: 'payment_provider.delete', object, requestId });
  });
  return message('Payment account successfully disconnected');
}

async function getAccount(
  where: { merchantId: number; isCurrent?: boolean; name?: string },
  inTransaction?: Transaction,
): Promise<ProviderAccount> {
  const options = inTransaction && { transaction: inTransaction, lock: true };
  const account = await ProviderAccount.findOne({ where, ...options });
  if (!account?.isConnected) throw new AppError('provider_not_connected');
  return account;
}
