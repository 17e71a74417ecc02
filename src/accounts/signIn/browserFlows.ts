import { type Model, type ModelStatic, Op, type WhereOptions } from 'sequelize';
import { type z } from 'zod';
import { transaction } from '../../adapters/postgres/connection';
import { baseUrl } from '../../adapters/settings';
import { Answer, type RequestFacts } from '../../kit/endpoint';
import { readCookie, writeCookie } from '../../kit/pages/session';
import { hashOf, newSecret } from '../../kit/secrets';
import { type CallbackQuery } from './social.schemas';

/**
 * A sign-in that leads a browser to a provider and back. The PKCE verifier stays in the browser's cookie, so that no
 * other browser can complete the sign-in.
 */

const minutesToSignIn = 10;

/** A redirect with its cookies. */
export interface Step {
  location: string;
  cookies: string[];
}

export function redirect({ location, cookies }: Step): Answer<string> {
  return new Answer('', { contentType: 'text/plain; charset=utf-8', headers: { Location: location }, cookies });
}

export const isSecure = baseUrl.startsWith('https:');
export const topLevel = { isSecure, isEmbedded: false };

export interface Flow {
  state: string;
  verifier: string;
}

/** A new flow, with the columns of its row. */
export function beginFlow(): Flow & { row: { stateHash: Buffer; verifierHash: Buffer; expiresAt: Date } } {
  const flow = { state: newSecret(), verifier: newSecret() };
  const expiresAt = new Date(Date.now() + minutesToSignIn * 60_000);
  return { ...flow, row: { stateHash: hashOf(flow.state), verifierHash: hashOf(flow.verifier), expiresAt } };
}

/** The flow of an answer. Its verifier is empty in a browser that did not begin it. */
export function readFlow({ cookies }: Pick<RequestFacts, 'cookies'>, state: string): Flow {
  return { state, verifier: readCookie(cookies, verifierCookie(state), isSecure) ?? '' };
}

/**
 * Takes the row of a flow that has not expired. A state can be used once, in the browser that it was issued to. Undefined
 * without such a row.
 */
export function takeFlow<M extends Model>(
  model: ModelStatic<M>,
  { state, verifier }: Flow,
  more: Record<string, string | number>,
): Promise<M | undefined> {
  const hashes = { stateHash: hashOf(state), verifierHash: hashOf(verifier) };
  const where = { ...hashes, ...more, expiresAt: { [Op.gt]: new Date() } } as unknown as WhereOptions;
  return transaction(async (inTransaction) => {
    const found = await model.findOne({ where, transaction: inTransaction, lock: inTransaction.LOCK.UPDATE });
    await found?.destroy({ transaction: inTransaction });
    return found ?? undefined;
  });
}

/** The cookie of a flow. Without a verifier it ends. */
export function writeFlow({ state, verifier }: { state: string; verifier?: string }): string {
  const expiresAtSeconds = Math.floor(Date.now() / 1000) + minutesToSignIn * 60;
  return writeCookie(verifierCookie(state), verifier, { ...topLevel, expiresAtSeconds });
}

/** The redirect address with the parameters that the provider added. */
export function withAnswer(callback: URL, answer: z.output<typeof CallbackQuery>): URL {
  for (const [name, value] of Object.entries(answer)) callback.searchParams.set(name, String(value));
  return callback;
}

/** The cookie's name contains the state, so that two tabs do not overwrite each other's cookie. */
function verifierCookie(state: string): string {
  return `social_${hashOf(state).toString('hex').slice(0, 16)}`;
}
