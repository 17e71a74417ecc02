import { Secret, TOTP } from 'otpauth';

/** Time-based one-time passwords (RFC 6238), with the parameters that every authenticator app supports. */

const stepSeconds = 30;
const secretBytes = 20;
/** The clock of a phone may differ by one step. */
const stepsOfTolerance = 1;

const parameters = { algorithm: 'SHA1', digits: 6, period: stepSeconds } as const;

/** A random secret in base32, which people can type. */
export function createSecret(): string {
  return new Secret({ size: secretBytes }).base32;
}

/** The text of the QR code. `issuer` and `label` name the account in the app. */
export function uriOf(secret: string, { issuer, label }: { issuer: string; label: string }): string {
  return new TOTP({ ...parameters, issuer, label, secret: Secret.fromBase32(secret) }).toString();
}

/** The time step of a correct code; undefined for a wrong one. */
export function findStep(secret: string, code: string, nowMs = Date.now()): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const totp = new TOTP({ ...parameters, secret: Secret.fromBase32(secret) });
  const distance = totp.validate({ token: code, timestamp: nowMs, window: stepsOfTolerance });
  return distance === null ? undefined : Math.floor(nowMs / 1000 / stepSeconds) + distance;
}
