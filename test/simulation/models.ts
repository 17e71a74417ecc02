import { type SequentialModel } from './linearizability';

/** Small models of the objects that several clients use at the same time. */

/** `name`: the purchase. `isTaken`: the answer accepts the code. Absent: it says neither. */
export type VoucherCall =
  { what: 'take'; name: string; isTaken?: boolean } | { what: 'release'; name: string } | { what: 'end'; uses: number };

/** A code with a number of uses. A gift has one use. A purchase that fails gives its use back. */
export const voucherModel = (limit: number): SequentialModel<readonly string[], VoucherCall> => ({
  initial: [],
  next(users, call) {
    if (call.what === 'end') return users.length === call.uses ? users : undefined;
    if (call.what === 'release')
      return users.includes(call.name) ? users.filter((name) => name !== call.name) : undefined;
    if (call.isTaken === false) return users.length >= limit ? users : undefined;
    return users.length < limit ? [...users, call.name].sort() : undefined;
  },
  keyOf: (users) => users.join(),
});

/** `isIn`: whether the device may use the code. Absent: no answer. */
export type AccessCodeCall =
  | { what: 'enter'; device: string; isIn?: boolean }
  | { what: 'leave'; device: string }
  | { what: 'end'; devices: readonly string[] };

/** A code for a number of devices at the same time. */
export const accessCodeModel = (limit: number): SequentialModel<readonly string[], AccessCodeCall> => ({
  initial: [],
  next(devices, call) {
    if (call.what === 'end') return devices.join() === call.devices.toSorted().join() ? devices : undefined;
    if (call.what === 'leave') return devices.filter((device) => device !== call.device);
    const mayEnter = devices.includes(call.device) || devices.length < limit;
    if (call.isIn !== undefined && call.isIn !== mayEnter) return undefined;
    return mayEnter ? [...new Set([...devices, call.device])].sort() : devices;
  },
  keyOf: (devices) => devices.join(),
});

/** Amounts are in minor units. */
export type BalanceCall = { what: 'adjust'; amountMinor: number } | { what: 'read'; balanceMinor: number };

export const balanceModel: SequentialModel<number, BalanceCall> = {
  initial: 0,
  next(balance, call) {
    if (call.what === 'adjust') return balance + call.amountMinor;
    return balance === call.balanceMinor ? balance : undefined;
  },
  keyOf: String,
};
