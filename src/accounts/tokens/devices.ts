import { locationOf } from '../../adapters/geoip';
import { type Transaction } from '../../adapters/postgres/connection';
import { execute } from '../../adapters/postgres/statement';
import { baseUrl } from '../../adapters/settings';
import { type Caller } from '../../kit/auth';
import { deviceOf } from '../../kit/devices';
import { type RequestFacts } from '../../kit/endpoint';
import { readBrowser } from '../../kit/pages/session';
import { hashOf } from '../../kit/secrets';
import { queueMail } from '../../mail/mail';
import { type Account } from '../accounts.model';
import { sessionsUrl } from '../securityLinks';
import { type Session } from './tokens.model';

/** The device and the place of a sign-in. A browser is recognised by our cookie, an app by its user agent. */

type SignInDevice = Pick<Session, 'browserHash' | 'deviceType' | 'deviceOs' | 'deviceModel' | 'country' | 'city'>;

export function deviceOfSignIn(request: RequestFacts): SignInDevice {
  const { type, os, model } = deviceOf(request.userAgent);
  const { country = '', city = '' } = locationOf(request.clientAddress);
  return { browserHash: browserHashOf(request), deviceType: type, deviceOs: os, deviceModel: model, country, city };
}

/** Null for an app, and for a browser without a sign-in on our pages. */
export function browserHashOf({ browser, cookies }: Pick<RequestFacts, 'browser' | 'cookies'>): Buffer | null {
  if (browser !== undefined) return hashOf(browser);
  const { name, isNew } = readBrowser(cookies, baseUrl.startsWith('https:'));
  return isNew ? null : hashOf(name);
}

/** Whether the account has a session, ended or not, that was opened in the browser of the request. */
export async function hasSignedInHere(
  inTransaction: Transaction,
  accountId: number,
  request: RequestFacts,
): Promise<boolean> {
  const browserHash = browserHashOf(request);
  if (browserHash === null) return false;
  const found = await execute(
    inTransaction,
    'SELECT FROM sessions WHERE account_id = $1 AND browser_hash = $2 AND actor_uuid IS NULL LIMIT 1',
    [accountId, browserHash],
  );
  return found.length > 0;
}

/** The browser in which a session was opened; null for an app. */
export async function findBrowserHash(
  inTransaction: Transaction,
  { sessionId }: Pick<Caller, 'sessionId'>,
): Promise<Buffer | null> {
  const [session] = await execute<{ browserHash: Buffer | null }>(
    inTransaction,
    'SELECT browser_hash AS "browserHash" FROM sessions WHERE id = $1',
    [sessionId],
  );
  return session?.browserHash ?? null;
}

/** Whether the caller has entered a mailed code in the browser. */
export async function hasProvenMailbox(
  inTransaction: Transaction,
  { accountId }: Pick<Caller, 'accountId'>,
  browserHash: Buffer,
): Promise<boolean> {
  const found = await execute(
    inTransaction,
    `SELECT FROM sessions s JOIN pin_codes p ON p.session_id = s.id
     WHERE s.account_id = $1 AND s.browser_hash = $2 AND p.validated_at IS NOT NULL LIMIT 1`,
    [accountId, browserHash],
  );
  return found.length > 0;
}

interface Holder {
  id: number;
  merchantId: number;
}

/** Mails the owner after the first sign-in on a device, unless it is the first sign-in of the account. */
export async function tellOfNewDevice(
  inTransaction: Transaction,
  { id: accountId, merchantId }: Holder,
  session: Session,
): Promise<void> {
  const [account] = await execute<{
    email: string;
    role: Account['role'];
    merchantUuid: string;
    is_known: boolean | null;
  }>(
    inTransaction,
    `SELECT a.email, a.role, a.merchant_uuid AS "merchantUuid", (
       SELECT bool_or(CASE WHEN $3::bytea IS NULL
         THEN s.browser_hash IS NULL AND s.grant_type <> 'client_credentials'
           AND (s.device_type, s.device_os, s.device_model) = ($4, $5, $6)
         ELSE s.browser_hash = $3 END)
       FROM sessions s WHERE s.account_id = a.id AND s.id <> $2 AND s.actor_uuid IS NULL) AS is_known
     FROM accounts a WHERE a.id = $1`,
    [accountId, session.id, session.browserHash, session.deviceType, session.deviceOs, session.deviceModel],
  );
  if (account?.is_known !== false) return;
  const { email: to } = account;
  const device = [session.deviceModel, session.deviceOs].filter((name) => name !== '').join(', ');
  const place = [session.city, session.country].filter((name) => name !== '').join(', ');
  const values = { device, place, date: session.createdAt.toISOString(), url: sessionsUrl(account) };
  await queueMail(inTransaction, { merchantId, accountId, to, template: 'new_sign_in', values });
}
