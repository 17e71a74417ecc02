import { type AuthenticatorTransport } from '@simplewebauthn/server';

const known: readonly string[] = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

const isKnown = (name: string): name is AuthenticatorTransport => known.includes(name);

/** The connections between browser and authenticator. Browsers ignore unknown names, so those are not stored. */
export const transportsOf = (names: readonly string[] = []): AuthenticatorTransport[] => [
  ...new Set(names.filter(isKnown)),
];
