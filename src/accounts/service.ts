import { randomUUID } from 'node:crypto';
import { type z } from 'zod';
import { transaction, violatedConstraint, type Transaction } from '../adapters/postgres/connection';
import { execute } from '../adapters/postgres/statement';
import { hashPassword, verifyPassword } from '../adapters/passwords';
import { merchantSignupIsOpen, platformClientId } from '../adapters/settings';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { normalizeEmail } from '../kit/form';
import { message } from '../kit/page';
import { openChannel } from '../notifications/publish';
import { Account } from './model';
import { createDefaultApp, getClient, type Client } from './oauthApps/service';
import { presentAccount, presentAuthentication } from './presenter';
import { type AuthenticateBody, type RegisterBody } from './schemas';
import * as tokens from './tokens/service';

type Registration = z.output<typeof RegisterBody>;
type Authentication = z.output<typeof AuthenticateBody>;

/** Registers a consumer of the client's merchant, or a merchant of the platform, and signs it in. */
export async function createAccount(input: Registration) {
  if (input.password !== input.password_confirmation)
    throw new AppError('invalid_input', {
      errors: { password_confirmation: 'The password_confirmation does not match the password.' },
    });
  const client = input.type === 'merchant' ? platformClient(input.client_id) : await getClient(input.client_id);
  const passwordHash = await hashPassword(input.password);
  const account = await refusingTakenEmail(() =>
    transaction((inTransaction) =>
      input.type === 'merchant'
        ? insertMerchant(input, passwordHash, inTransaction)
        : insertConsumer(input, passwordHash, client, inTransaction),
    ),
  );
  return signIn(account, input.client_id);
}

export async function authenticate(input: Authentication) {
  if (input.grant_type === 'refresh_token') return refresh(input);
  const client = await findClient(input.client_id, 'password');
  const { username, password } = input;
  if (username === undefined || password === undefined)
    throw new AppError('missing_parameter', { errors: missing({ username, password }) });
  const account = await findByEmail(client, username);
  const matches = await verifyPassword(account?.passwordHash, password);
  if (!account || !matches || !account.isActive) throw new AppError('invalid_credentials');
  return signIn(account, input.client_id);
}

export async function getAccount(caller: Caller) {
  return presentAccount(await getAccountRow(caller.accountId));
}

/** Ends the token's session; a dead token is as good as signed out (wire D.9). */
export async function logout(bearer: string | undefined) {
  await tokens.endSession(bearer);
  return message('Successfully logged out');
}

/** A merchant's account by its uuid: the tenant that public paths name. */
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

async function refresh(input: Authentication) {
  if (input.refresh_token === undefined)
    throw new AppError('missing_parameter', { errors: missing({ refresh_token: input.refresh_token }) });
  await findClient(input.client_id, 'refresh_token');
  const renewed = await tokens.rotateRefreshToken(input.refresh_token, input.client_id);
  const account = await getAccountRow(renewed.accountId);
  if (!account.isActive) throw new AppError('invalid_refresh_token');
  return presentAuthentication(account, renewed.tokens(account));
}

async function signIn(account: Account, clientId: string) {
  return presentAuthentication(account, await tokens.openSession(account, clientId));
}

function platformClient(clientId: string): undefined {
  if (clientId !== platformClientId) throw new AppError('invalid_client');
  if (!merchantSignupIsOpen) throw new AppError('merchant_signup_closed');
  return undefined;
}

/** The platform's own client signs merchants in; every other client belongs to one merchant. */
async function findClient(clientId: string, grantType: string): Promise<Client | undefined> {
  return clientId === platformClientId ? undefined : getClient(clientId, grantType);
}

/** A merchant may sign in through the platform or its own app; a consumer through its merchant's apps only. */
async function findByEmail(client: Client | undefined, email: string): Promise<Account | null> {
  const emailNormalized = normalizeEmail(email);
  if (!client) return Account.findOne({ where: { emailNormalized, role: 'merchant' } });
  const { merchantId } = client;
  return Account.findOne({ where: { emailNormalized, merchantId }, order: [['role', 'ASC']] });
}

async function insertMerchant(input: Registration, passwordHash: string, inTransaction: Transaction) {
  const [next] = await execute<{ id: number }>(
    inTransaction,
    `SELECT nextval(pg_get_serial_sequence('accounts', 'id'))::int AS id`,
  );
  const id = next?.id ?? 0;
  const uuid = randomUUID();
  const account = await Account.create(
    { ...rowOf(input, passwordHash), id, uuid, merchantId: id, merchantUuid: uuid, role: 'merchant' },
    { transaction: inTransaction, returning: true },
  );
  await createDefaultApp(account, inTransaction);
  await openChannel(account.id, inTransaction);
  return account.reload({ transaction: inTransaction });
}

async function insertConsumer(
  input: Registration,
  passwordHash: string,
  client: Client | undefined,
  inTransaction: Transaction,
) {
  if (!client) throw new AppError('invalid_client');
  const { merchantId, merchantUuid } = client;
  const account = await Account.create(
    { ...rowOf(input, passwordHash), uuid: randomUUID(), merchantId, merchantUuid, role: 'consumer' },
    { transaction: inTransaction, returning: true },
  );
  return account.reload({ transaction: inTransaction });
}

function rowOf(input: Registration, passwordHash: string) {
  return {
    email: input.username,
    emailNormalized: normalizeEmail(input.username),
    fullName: input.full_name,
    passwordHash,
    metadata: input.metadata ?? {},
    referrer: input.referrer ?? '',
    dateOfBirth: input.date_of_birth ? input.date_of_birth.toISOString().slice(0, 10) : null,
  };
}

async function refusingTakenEmail(insert: () => Promise<Account>): Promise<Account> {
  try {
    return await insert();
  } catch (error) {
    if (violatedConstraint(error)?.endsWith('_email')) throw new AppError('account_exists');
    throw error;
  }
}

function missing(fields: Record<string, unknown>): Record<string, string> {
  const absent = Object.keys(fields).filter((name) => fields[name] === undefined);
  return Object.fromEntries(absent.map((name) => [name, `The ${name} must not be empty.`]));
}
