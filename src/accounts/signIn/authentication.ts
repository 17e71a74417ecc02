import { Op } from 'sequelize';
import { type z } from 'zod';
import { verifyPassword } from '../../adapters/passwords';
import { throttleAttempts } from '../../adapters/postgres/throttling';
import { operatorClientId, platformClientId } from '../../adapters/settings';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { normalizeEmail } from '../../kit/form';
import { Account } from '../accounts.model';
import { rememberLanguage } from '../languages';
import { getClient, getClientBySecret, type Client } from '../../oauthApps/clients';
import { type Entrance, entranceOf, entrantsOf } from './entrants';
import { recordFailedSignIn, recordSignIn } from './signInLog';
import { strengthenHash } from './passwords';
import { answerChallenge, getChallenged, proveAtSignIn } from '../secondFactors/challenges';
import { presentAuthentication } from '../accounts.presenter';
import { listRequiredFields } from '../registerFields';
import { type AuthenticateBody } from '../accounts.schemas';
import { renewSession } from '../tokens/renewals';
import { type SessionOptions } from '../tokens/tokens.schemas';
import { openSession } from '../tokens/tokens';

type Authentication = z.output<typeof AuthenticateBody>;

export function authenticate(input: Authentication, request: RequestFacts) {
  switch (input.grant_type) {
    case 'password':
      return byPassword(input, request);
    case 'client_credentials':
      return bySecret(input, request);
    case 'refresh_token':
      return byRefreshToken(input, request.clientAddress);
  }
}

/** Opens a session for an account whose identity is proved. */
export async function signIn(account: Account, clientId: string, options: SessionOptions = {}) {
  const issued = await openSession(account, clientId.toLowerCase(), options);
  return presentAuthentication(account, issued, await listRequiredFields(account.merchantId));
}

/** In the second step of a sign-in with a second factor, the challenge of the first step can replace the password. */
async function byPassword(input: Authentication, request: RequestFacts) {
  const { second_factor_challenge: challenge, second_factor_code: code, client_id: clientId } = input;
  if (challenge === undefined) {
    const account = await checkPassword(input, request);
    return signInProven(account, { clientId, code }, request);
  }
  const { second_factor_code } = required({ second_factor_code: code });
  await findClient(clientId, 'password');
  const account = await getChallenged(challenge, clientId);
  const grantType = await watchFactor(account, request, () =>
    answerChallenge(account, challenge, { clientId, code: second_factor_code }, request),
  );
  return enter(account, clientId, { isFactorProven: true, grantType, request });
}

/** Signs in an account whose identity is proved, except for its second factor. */
export async function signInProven(
  account: Account,
  step: { clientId: string; code: string | undefined },
  request: RequestFacts,
): Promise<ReturnType<typeof presentAuthentication>> {
  const isFactorProven = await watchFactor(account, request, () => proveAtSignIn(account, step, request));
  return enter(account, step.clientId, { isFactorProven, request });
}

/** Signs in an account whose identity is proved, with its second factor if it has one. */
export async function enter(
  account: Account,
  clientId: string,
  options: SessionOptions & { isFactorProven: boolean; request: RequestFacts },
): Promise<ReturnType<typeof presentAuthentication>> {
  const { passwordHash } = account;
  await rememberLanguage(account, options.request);
  await recordSignIn(account, options.request);
  return signIn(account, clientId, { passwordHash, ...options });
}

/** Records a wrong code as a failed sign-in. */
async function watchFactor<T>(account: Account, request: RequestFacts, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.code === 'second_factor_code_invalid')
      await recordFailedSignIn(account, request);
    throw error;
  }
}

/** An unknown account, a wrong password and an inactive account get the same response after the same time. */
async function checkPassword(input: Authentication, request: RequestFacts): Promise<Account> {
  const { username, password } = required({ username: input.username, password: input.password });
  const client = await findClient(input.client_id, 'password');
  const email = normalizeEmail(username);
  const found = await findByEmail(client ?? entranceOf(input.client_id), email);
  // The subject depends on the client and not on the account that was found. If the platform and a merchant's own apps
  // had one count for merchants, that count would reveal which addresses belong to merchants.
  const subject = `${client?.merchantId ?? input.client_id.toLowerCase()}:${email}`;
  const account = await throttleAttempts({ kind: 'sign-in', subject, address: request.clientAddress }, async () => {
    const matches = await verifyPassword(found?.passwordHash, password);
    if (found?.isActive && matches) return found;
    // Not awaited: the time of the response would reveal that the address has an account.
    if (found) void recordFailedSignIn(found, request);
    return undefined;
  });
  if (!account) throw new AppError('invalid_credentials');
  return strengthenHash(account, password);
}

/** The sign-in of a merchant's own server: the secret of its app proves the merchant. */
async function bySecret(input: Authentication, request: RequestFacts) {
  const { client_secret } = required({ client_secret: input.client_secret });
  const { merchantId } = await getClientBySecret(input.client_id, 'client_credentials', client_secret);
  const merchant = await Account.findByPk(merchantId);
  if (!merchant) throw new AppError('invalid_client');
  await recordSignIn(merchant, request);
  return signIn(merchant, input.client_id, { grantType: 'client_credentials' });
}

async function byRefreshToken(input: Authentication, clientAddress: string) {
  const { refresh_token } = required({ refresh_token: input.refresh_token });
  const clientId = input.client_id.toLowerCase();
  await findClient(clientId, 'refresh_token');
  const isSecretProven = input.client_secret !== undefined;
  if (isSecretProven) await getClientBySecret(clientId, 'refresh_token', input.client_secret ?? '');
  const renewed = await renewSession(refresh_token, { clientId, isSecretProven }, clientAddress);
  const requiredFields = await listRequiredFields(renewed.account.merchantId);
  return presentAuthentication(renewed.account, renewed.tokens, requiredFields);
}

/**
 * One client of the platform is for merchants and another one for operators. Every other client belongs to one
 * merchant.
 */
export async function findClient(clientId: string, grantType: string): Promise<Client | undefined> {
  const id = clientId.toLowerCase();
  return id === platformClientId.toLowerCase() || id === operatorClientId ? undefined : getClient(clientId, grantType);
}

/** A merchant's client finds a customer before the merchant, if both have the same address. */
async function findByEmail(entrance: Entrance, emailNormalized: string): Promise<Account | null> {
  const where = { [Op.and]: [{ emailNormalized }, entrantsOf(entrance)] };
  return Account.findOne({ where, order: [['role', 'ASC']] });
}

/** The additional fields of a grant type. The error 400 names all missing ones. */
function required<Name extends string>(fields: Record<Name, string | undefined>): Record<Name, string> {
  const absent = Object.keys(fields).filter((name) => fields[name as Name] === undefined);
  if (absent.length > 0)
    throw new AppError('missing_parameter', {
      errors: Object.fromEntries(absent.map((name) => [name, `The ${name} must not be empty.`])),
    });
  return fields as Record<Name, string>;
}
