import { Readable } from 'node:stream';
import { MisconfiguredProvider, type CardProvider } from './provider';

const fault = { code: 'no_payment_account', message: 'No payment account is connected.' };
const misconfigured = { outcome: 'misconfigured', fault, isKept: false } as const;

/** Stands for an account that is not, or no longer, connected: it takes no payments and knows no answers. */
export function createDisconnected(name: string): CardProvider {
  const refuse = () => Promise.reject(new MisconfiguredProvider(fault));
  const unknown = () => Promise.resolve({ outcome: 'unknown' } as const);
  return {
    name,
    suffix: 'ST',
    isConnected: false,
    tokenise: refuse,
    adoptToken: refuse,
    verifyCard: () => Promise.resolve(misconfigured),
    charge: () => Promise.resolve(misconfigured),
    lookUpCharge: unknown,
    confirmCharge: unknown,
    voidCharge: unknown,
    forgetCustomer: () => Promise.resolve(),
    refund: () =>
      Promise.resolve({ outcome: 'refused', message: 'The payment account of this charge is disconnected.' }),
    lookUpRefund: unknown,
    listPayments: () => Readable.from([]),
  };
}
