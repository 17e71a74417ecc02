import { randomUUID } from 'node:crypto';
import { type z } from 'zod';
import { transaction, violatedConstraint, type Transaction } from '../adapters/postgres/connection';
import { guess } from '../adapters/postgres/guesses';
import { execute } from '../adapters/postgres/statement';
import { merchantSignupIsOpen, platformClientId } from '../adapters/settings';
import { insertDefaultBrand } from '../branding/service';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { normalizeEmail } from '../kit/form';
import { message } from '../kit/page';
import { openChannel } from '../notifications/publish';
import { createRestrictionSettings, requireDateOfBirth } from '../restrictions/settings/service';
import { signIn } from './authentication/service';
import { mailToken } from './mailedTokens/service';
import { Account } from './model';
import { createDefaultApp, getClient, type Client } from './oauthApps/service';
import { hashNewPassword } from './passwords/service';
import { presentAccount } from './presenter';
import { checkRegisterFields, listRequiredFields } from './registerFields/service';
import { type RegisterBody } from './schemas';
import * as tokens from './tokens/service';

type Registration = z.output<typeof RegisterBody>;
/** What an account is made of, whoever makes it. */
export type NewAccount = Pick<Registration, 'full_name' | 'username' | 'metadata' | 'referrer' | 'date_of_birth'>;

/**
 * Registers a consumer of the client's merchant, or a merchant of the platform, and signs it in. Who asks for addresses
 * that are taken has to wait, the longer the more of them (decisions 2: the answer tells).
 */
export async function createAccount(input: Registration, clientAddress: string) {
  const client = input.type === 'merchant' ? platformClient(input.client_id) : await getClient(input.client_id);
  if (client) await requireDateOfBirth(client.merchantId, input.date_of_birth);
  const subject = `${client?.merchantId ?? platformClientId}:${normalizeEmail(input.username)}`;
  const attempt = { kind: 'registration', subject, address: clientAddress } as const;
  const account = await guess(attempt, () => register(input, client));
  if (!account) throw new AppError('account_exists');
  return signIn(account, input.client_id);
}

/** Undefined when the address is taken. */
async function register(input: Registration, client: Client | undefined): Promise<Account | undefined> {
  const passwordHash = await hashNewPassword({
    password: input.password,
    confirmation: input.password_confirmation,
    email: input.username,
    merchant: client ? { id: client.merchantId } : { name: input.full_name },
  });
  const registering = transaction(async (inTransaction) => {
    const account =
      input.type === 'merchant'
        ? await insertMerchant(input, passwordHash, inTransaction)
        : await insertConsumer(input, passwordHash, client, inTransaction);
    await mailToken(inTransaction, account, 'activation', input.branding_id);
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

function platformClient(clientId: string): undefined {
  if (clientId !== platformClientId) throw new AppError('invalid_client');
  if (!merchantSignupIsOpen) throw new AppError('merchant_signup_closed');
  return undefined;
}

/** A merchant with everything a tenant begins with. */
export async function insertMerchant(input: NewAccount, passwordHash: string, inTransaction: Transaction) {
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
  await insertDefaultBrand(inTransaction, account.id);
  await createRestrictionSettings(account.id, inTransaction);
  await openChannel(account.id, inTransaction);
  return account.reload({ transaction: inTransaction });
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
  const account = await Account.create(
    { ...rowOf(input, passwordHash), uuid: randomUUID(), merchantId, merchantUuid, role: 'consumer' },
    { transaction: inTransaction, returning: true },
  );
  return account.reload({ transaction: inTransaction });
}

function rowOf(input: NewAccount, passwordHash: string) {
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

export async function refusingTakenEmail(insert: () => Promise<Account>): Promise<Account> {
  try {
    return await insert();
  } catch (error) {
    if (isTakenEmail(error)) throw new AppError('account_exists');
    throw error;
  }
}

function isTakenEmail(error: unknown): boolean {
  return violatedConstraint(error)?.endsWith('_email') === true;
}
