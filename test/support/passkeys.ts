import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { type z } from 'zod';
import { type PasskeyResponse, type PasskeysResponse } from '../../src/accounts/passkeys/passkeys.schemas';
import { call } from './client';
import { type Person } from './factories';
import { type TestApp } from './startApp';

/** An authenticator in software, with the bytes of a real one (WebAuthn level 2, attestation `none`). */

type At = Pick<TestApp, 'address'>;
type Listed = z.output<typeof PasskeyResponse>;

export const path = '/accounts/passkeys';

export const site = { domain: 'paywall.test', origin: 'http://paywall.test' };

/** The faults of an authenticator. */
export interface Faults {
  origin?: string;
  domain?: string;
  isVerified?: boolean;
  counter?: number;
  challenge?: string;
}

const present = 0x01;
const verified = 0x04;
const synced = 0x18;
const attested = 0x40;

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();

/** The head of a CBOR item: its kind, and its value or length. */
function head(kind: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(kind << 5) | value]);
  return value < 256
    ? Buffer.from([(kind << 5) | 24, value])
    : Buffer.from([(kind << 5) | 25, value >> 8, value & 255]);
}
const cborBytes = (bytes: Buffer) => Buffer.concat([head(2, bytes.length), bytes]);
const cborText = (text: string) => Buffer.concat([head(3, text.length), Buffer.from(text)]);

/** An elliptic key as COSE writes it: EC2, ES256, P-256. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const [left, right] = [x, y].map((part) => cborBytes(Buffer.from(part, 'base64url')));
  return Buffer.concat([
    ...[head(5, 5), head(0, 1), head(0, 2), head(0, 3), head(1, 6), head(1, 0), head(0, 1)],
    ...[head(1, 1), left ?? Buffer.alloc(0), head(1, 2), right ?? Buffer.alloc(0)],
  ]);
}

export class Authenticator {
  readonly id = randomBytes(16);
  counter = 0;
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  /** The answer of `navigator.credentials.create`. */
  create(challenge: string, faults: Faults = {}) {
    const key = coseKey(this.keys.publicKey);
    const length = Buffer.from([0, this.id.length]);
    const made = Buffer.concat([Buffer.alloc(16), length, this.id, key]);
    const data = Buffer.concat([this.dataOf(faults, attested), made]);
    const object = Buffer.concat([
      ...[head(5, 3), cborText('fmt'), cborText('none'), cborText('attStmt'), head(5, 0)],
      ...[cborText('authData'), cborBytes(data)],
    ]);
    const response = { attestationObject: object.toString('base64url'), transports: ['internal', 'hybrid', 'pigeon'] };
    return this.credential({ ...response, clientDataJSON: this.clientData('webauthn.create', challenge, faults) });
  }

  /** The answer of `navigator.credentials.get`. */
  use(challenge: string, { uuid }: Pick<Person, 'uuid'>, faults: Faults = {}) {
    const clientDataJSON = this.clientData('webauthn.get', challenge, faults);
    const data = this.dataOf(faults);
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    return this.credential({
      clientDataJSON,
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, this.keys.privateKey).toString('base64url'),
      userHandle: Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url'),
    });
  }

  private dataOf({ domain = site.domain, isVerified = true, counter = this.counter }: Faults, more = 0): Buffer {
    const numbers = Buffer.alloc(5);
    numbers.writeUInt8(present | synced | more | (isVerified ? verified : 0));
    numbers.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(domain), numbers]);
  }

  private clientData(type: string, challenge: string, faults: Faults): string {
    const { origin = site.origin } = faults;
    const sent = { type, challenge: faults.challenge ?? challenge, origin, crossOrigin: false };
    return Buffer.from(JSON.stringify(sent)).toString('base64url');
  }

  private credential<R extends object>(response: R) {
    const id = this.id.toString('base64url');
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }
}

interface Options {
  challenge: string;
  error?: string;
  user: { id: string; name: string };
  allowCredentials: { id: string }[];
  excludeCredentials: { id: string }[];
}

export const startPasskey = (app: At, person: Person, fields: { password?: string } = {}) =>
  call<Options>(app, 'POST', `${path}/options`, fields, person);

export const storePasskey = (app: At, person: Person, credential: object, name?: string) =>
  call<Listed & { error?: string }>(app, 'POST', path, { credential, name }, person);

/** Gives the account a passkey. */
export async function addPasskey(app: At, person: Person, authenticator = new Authenticator()) {
  const { body } = await startPasskey(app, person);
  const { status, body: made } = await storePasskey(app, person, authenticator.create(body.challenge), 'Telephone');
  if (status !== 201) throw new Error(`answered ${status}: ${JSON.stringify(made)}`);
  return { ...made, authenticator };
}

export const listPasskeys = async (app: At, person: Person) =>
  (await call<z.output<typeof PasskeysResponse>>(app, 'GET', path, undefined, person)).body.collection;

export const deletePasskey = (app: At, person: Person, id: string, fields: { password?: string } = {}) =>
  call(app, 'DELETE', `${path}/${id}`, fields, person);

export const challengeAt = async (app: At, clientId: string) =>
  (await call<Options>(app, 'POST', `${path}/sign-in/options`, { client_id: clientId })).body.challenge;

interface SignedIn {
  access_token: string;
  error?: string;
}

export const sendSignIn = (app: At, clientId: string, credential: object) =>
  call<SignedIn>(app, 'POST', `${path}/sign-in`, { client_id: clientId, credential });

/** A sign-in by a passkey, with its options. */
export async function signInByPasskey(app: At, person: Person, authenticator: Authenticator, faults: Faults = {}) {
  const challenge = await challengeAt(app, person.merchantUuid);
  return sendSignIn(app, person.merchantUuid, authenticator.use(challenge, person, faults));
}

export const startConfirmation = (app: At, person: Person) =>
  call<Options>(app, 'POST', `${path}/confirm/options`, {}, person);

export const sendConfirmation = (app: At, person: Person, credential: object) =>
  call<{ error?: string }>(app, 'POST', `${path}/confirm`, { credential }, person);

/** Makes the sessions of the account older. */
export const ageSessions = (app: TestApp, { id }: Pick<Person, 'id'>, age: string) =>
  app.pool.query(
    `UPDATE sessions SET created_at = now() - $2::interval, factor_proven_at = factor_proven_at - $2::interval
     WHERE account_id = $1`,
    [id, age],
  );

/** Writes passkeys that no authenticator has. */
export const fillPasskeys = (app: TestApp, { id }: Pick<Person, 'id'>, count: number) =>
  app.pool.query(
    `INSERT INTO passkeys (merchant_id, account_id, credential_id, public_key, sign_count, is_synced_kind, is_backed_up, name)
     SELECT merchant_id, id, decode(md5(id || ':' || n), 'hex'), '', 0, true, true, 'Key'
     FROM accounts, generate_series(1, $2::int) AS n WHERE id = $1`,
    [id, count],
  );
