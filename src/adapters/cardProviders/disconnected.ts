import { Readable } from 'node:stream';
import { MisconfiguredProvider, type CardProvider } from './provider';

const unknown = () => Promise.resolve({ outcome: 'unknown' } as const);

/** Stands for an account that cannot be used: it takes no payments and knows no answers. */
function createUnusable(name: string, message: string) {
  const fault = { code: 'no_payment_account', message };
  const refuse = () => Promise.reject(new MisconfiguredProvider(fault));
  const misconfigured = () => Promise.resolve({ outcome: 'misconfigured', fault, isKept: false } as const);
  return {
    name,
    suffix: 'ST',
    isConnected: false,
    tokenise: refuse,
    adoptToken: refuse,
    setUpCard: misconfigured,
    lookUpSetup: unknown,
    voidSetup: unknown,
    charge: misconfigured,
    lookUpCharge: unknown,
    confirmCharge: unknown,
    voidCharge: unknown,
    lookUpRefund: unknown,
    listPayments: () => Readable.from([]),
  } as const;
}

/** An account that is not connected, or whose keys the merchant has deleted: refunds and deletions are over. */
export function createDisconnected(name: string): CardProvider {
  const message = 'The payment account of this charge is disconnected.';
  return {
    ...createUnusable(name, 'No payment account is connected.'),
    forgetCustomer: () => Promise.resolve(),
    refund: () => Promise.resolve({ outcome: 'refused', message }),
  };
}

/** An account whose keys were sealed with another ENCRYPTION_KEY: refunds and deletions wait until the key is back. */
export const createUnreadable = (name: string): CardProvider =>
  createHeld(name, 'The keys of the payment account cannot be read. Enter them again.');

/** An account that cannot be used for now: charges, refunds and deletions wait until it can. */
export function createHeld(name: string, message: string): CardProvider {
  return {
    ...createUnusable(name, message),
    forgetCustomer: () => Promise.reject(new Error(`${name} cannot be used: ${message}`)),
    refund: () => Promise.resolve({ outcome: 'not_sent' }),
  };
}
