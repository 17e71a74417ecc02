import { randomUUID } from 'node:crypto';
import { EmptyResultError, type CreationAttributes } from 'sequelize';
import { type z } from 'zod';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { throttleAttempts } from '../adapters/postgres/throttling';
import { execute } from '../adapters/postgres/statement';
import { merchantsNeedApproval, merchantSignupIsOpen, platformClientId } from '../adapters/settings';
import { insertDefaultBrand } from '../branding/branding';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { normalizeEmail } from '../kit/form';
import { message } from '../kit/page';
import { requestLanguage } from '../kit/pages/languages';
import { type SignedIn } from '../kit/pages/page';
import { type NewEvent } from '../notifications/events';
import { openChannel, publish } from '../notifications/publish';
import { createRestrictionSettings, requireDateOfBirth } from '../restrictions/settings';
import { signIn } from './signIn/authentication';
import { mailToken } from './signIn/mailedTokens';
import { Account } from './accounts.model';
import { createDefaultApp, getClient, type Client } from '../oauthApps/clients';
import { hashNewPassword } from './signIn/passwords';
import { presentAccount, presentCustomer } from './accounts.presenter';
import { checkRegisterFields, listRequiredFields } from './registerFields';
import { type RegisterBody } from './accounts.schemas';
import { insertWaiting } from './merchants/states.model';
import * as tokens from './tokens/tokens';

export type Registration = z.output<typeof RegisterBody>;
/** The fields of a new account, common to registrations, social sign-ins and accounts that a merchant adds. */
export type NewAccount = Pick<Registration, 'full_name' | 'username' | 'metadata' | 'referrer' | 'date_of_birth'> & {
  /** The language of mails to the account, if it is known. */
  language?: string | null | undefined;
};

/**
 * Registers a consumer of the client's merchant, or a merchant of the platform, and signs it in. The response reveals
 * whether an address is taken, so repeated requests for taken addresses get slower and slower.
 */
export async function createAccount(input: Registration, request: RequestFacts) {
  const client = input.type === 'merchant' ? platformClient(input.client_id) : await getClient(input.client_id);
  if (client) await requireDateOfBirth(client.merchantId, input.date_of_birth);
  const subject = `${client?.merchantId ?? platformClientId}:${normalizeEmail(input.username)}`;
  const attempt = { kind: 'registration', subject, address: request.clientAddress } as const;
  const account = await throttleAttempts(attempt, () =>
    register({ ...input, language: requestLanguage(request) }, client),
  );
  if (!account) throw new AppError('account_exists');
  return signIn(account, input.client_id, { request });
}

/** Undefined if the address is taken. */
async function register(input: Registration & NewAccount, client: Client | undefined): Promise<Account | undefined> {
  const passwordHash = await hashNewPassword({
    password: input.password,
    confirmation: input.password_confirmation,
    email: input.username,
    merchant: client ? { id: client.merchantId } : { name: input.full_name },
    isFirst: true,
  });
  const registering = transaction(async (inTransaction) => {
    const account =
      input.type === 'merchant'
        ? await registerMerchant(input, passwordHash, inTransaction)
        : await insertConsumer(input, passwordHash, client, inTransaction);
    await mailToken(inTransaction, account, 'activation', input.branding_id);
    if (account.role === 'consumer') await publishCustomer(inTransaction, account, 'customer.registered');
    return account;
  });
  return registering.catch((error: unknown) => {
    if (isTakenEmail(error)) return undefined;
    throw error;
  });
}

export async function getAccount(caller: Caller) {
  const account = await getAccountRow(caller.accountId);
  return presentAccount(account, await listRequiredFields(account.merchantId));
}

/** The names that the pages of the console show. */
export async function findSignedIn({ accountId, merchantId }: Caller): Promise<SignedIn> {
  const where = { id: [accountId, merchantId] };
  const rows = await Account.findAll({ attributes: ['id', 'email', 'fullName'], where });
  const find = (wanted: number) => rows.find(({ id }) => id === wanted);
  return { email: find(accountId)?.email ?? '', merchantName: find(merchantId)?.fullName ?? '' };
}

type CustomerEvent = 'customer.registered' | 'customer.updated';

/** Publishes an event about a customer to the merchant's webhooks, as the last step of a transaction. */
export async function publishCustomer(
  inTransaction: Transaction,
  account: Account,
  type: CustomerEvent,
): Promise<void> {
  await publish(inTransaction, account.merchantId, await customerEvents(inTransaction, [account], type));
}

/** The events about customers of one merchant. */
export async function customerEvents(
  inTransaction: Transaction,
  accounts: readonly Account[],
  type: CustomerEvent,
): Promise<NewEvent[]> {
  const [first] = accounts;
  const requiredFields = first ? await listRequiredFields(first.merchantId, inTransaction) : [];
  return accounts.map((account) => ({
    type,
    accountId: account.id,
    dedupeKey: `customer:${randomUUID()}`,
    resource: presentCustomer(account, requiredFields),
  }));
}

/** Ends the token's session. A token that is no longer valid gets the same response. */
export async function logout(bearer: string | undefined) {
  await tokens.endSession(bearer);
  return message('Successfully logged out');
}

/** A merchant's account by the uuid in a public path. */
export async function getMerchant(merchantUuid: string): Promise<Account> {
  const merchant = await Account.findOne({ where: { uuid: merchantUuid, role: 'merchant' } });
  if (!merchant) throw new AppError('account_not_found');
  return merchant;
}

export async function getAccountRow(accountId: number): Promise<Account> {
  const account = await Account.findByPk(accountId);
  if (!account) throw new AppError('account_not_found');
  return account;
}

function platformClient(clientId: string): undefined {
  if (clientId !== platformClientId) throw new AppError('invalid_client');
  if (!merchantSignupIsOpen) throw new AppError('merchant_signup_closed');
  return undefined;
}

/** Runs in the transaction that registers a merchant. */
type MerchantListener = (inTransaction: Transaction, merchantId: number) => Promise<void>;

const merchantListeners = new Set<MerchantListener>();

/** Registers work that a higher room does for a new merchant. Each listener is registered once. */
export function onMerchantRegistered(listener: MerchantListener): void {
  merchantListeners.add(listener);
}

/** A merchant that registers itself may have to wait for an operator. */
async function registerMerchant(input: NewAccount, passwordHash: string, inTransaction: Transaction) {
  const merchant = await insertMerchant(input, passwordHash, inTransaction);
  if (merchantsNeedApproval) await insertWaiting(inTransaction, merchant.id);
  return merchant;
}

/** Inserts a merchant with everything that a new tenant needs. */
export async function insertMerchant(input: NewAccount, passwordHash: string, inTransaction: Transaction) {
  const account = await insertTenant({ ...rowOf(input, passwordHash), role: 'merchant' }, inTransaction);
  await createDefaultApp(account, inTransaction);
  await createRestrictionSettings(account.id, inTransaction);
  for (const listener of merchantListeners) await listener(inTransaction, account.id);
  return account.reload({ transaction: inTransaction });
}

/**
 * Inserts an operator, which is its own tenant without customers. The command names the address, so the address needs
 * no activation.
 */
export async function insertOperator(input: NewAccount, passwordHash: string, inTransaction: Transaction) {
  const row = { ...rowOf(input, passwordHash), role: 'operator', activatedAt: new Date() } as const;
  return insertTenant(row, inTransaction);
}

type NewTenant = Omit<CreationAttributes<Account>, 'id' | 'uuid' | 'merchantId' | 'merchantUuid'>;

async function insertTenant(row: NewTenant, inTransaction: Transaction): Promise<Account> {
  const [next] = await execute<{ id: number }>(
    inTransaction,
    `SELECT nextval(pg_get_serial_sequence('accounts', 'id'))::int AS id`,
  );
  const id = next?.id ?? 0;
  const uuid = randomUUID();
  const account = await insertAccount({ ...row, id, uuid, merchantId: id, merchantUuid: uuid }, inTransaction);
  await insertDefaultBrand(inTransaction, account.id);
  await openChannel(account.id, inTransaction);
  return account;
}

/** Inserts a member of a merchant's staff. The invitation has proved the address. */
export function insertStaff(
  input: NewAccount,
  passwordHash: string,
  { merchantId, merchantUuid }: Account,
  inTransaction: Transaction,
) {
  const row = { ...rowOf(input, passwordHash), uuid: randomUUID(), merchantId, merchantUuid, activatedAt: new Date() };
  return insertAccount({ ...row, role: 'staff' }, inTransaction);
}

export async function insertConsumer(
  input: NewAccount,
  passwordHash: string,
  client: Client | undefined,
  inTransaction: Transaction,
) {
  if (!client) throw new AppError('invalid_client');
  const { merchantId, merchantUuid } = client;
  if (input.metadata) await checkRegisterFields(merchantId, input.metadata, inTransaction);
  return insertAccount(
    { ...rowOf(input, passwordHash), uuid: randomUUID(), merchantId, merchantUuid, role: 'consumer' },
    inTransaction,
  );
}

/**
 * Inserts consumers of the client's merchant and returns them. A consumer whose address is taken is left out. The order
 * of the rows is that of all such lists, because two of them would otherwise wait for each other's addresses.
 */
export async function insertConsumers(
  inputs: readonly NewAccount[],
  passwordHash: string,
  { merchantId, merchantUuid }: Client,
  inTransaction: Transaction,
): Promise<Account[]> {
  const rows = inputs.map(
    (input) =>
      ({ ...rowOf(input, passwordHash), uuid: randomUUID(), merchantId, merchantUuid, role: 'consumer' }) as const,
  );
  rows.sort((one, other) => (one.emailNormalized < other.emailNormalized ? -1 : 1));
  const options = { transaction: inTransaction };
  await Account.bulkCreate(rows, { ...options, ignoreDuplicates: true });
  return Account.findAll({ ...options, where: { uuid: rows.map(({ uuid }) => uuid) }, order: ['id'] });
}

/**
 * Ignores a row whose address is taken, because PostgreSQL would write the address into its log, as the detail of an
 * error.
 */
async function insertAccount(row: CreationAttributes<Account> & { uuid: string }, inTransaction: Transaction) {
  const options = { transaction: inTransaction };
  await Account.create(row, { ...options, ignoreDuplicates: true }).catch((error: unknown) => {
    throw error instanceof EmptyResultError ? new AppError('account_exists') : error;
  });
  return Account.findOne({ ...options, where: { uuid: row.uuid }, rejectOnEmpty: true });
}

function rowOf(input: NewAccount, passwordHash: string) {
  return {
    email: input.username,
    emailNormalized: normalizeEmail(input.username),
    fullName: input.full_name,
    passwordHash,
    metadata: input.metadata ?? {},
    referrer: input.referrer ?? '',
    language: input.language ?? null,
    dateOfBirth: input.date_of_birth ? input.date_of_birth.toISOString().slice(0, 10) : null,
  };
}

/** Whether an account could not be inserted because another account of the merchant has the address. */
export function isTakenEmail(error: unknown): boolean {
  return error instanceof AppError && error.code === 'account_exists';
}
