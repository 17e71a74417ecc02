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
    // A second request for a purchase that is not decided yet is answered with its name, and takes nothing.
    if (call.isTaken === true && users.includes(call.name)) return users;
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

/** `isOver`: it has ended, so the other fields tell nothing. `pending`: the plan of the next period, 0 without one. */
export interface SubscriptionView {
  isOver: boolean;
  renews: boolean;
  fee: number;
  pending: number;
}

export type SubscriptionCall =
  { what: 'cancel' } | { what: 'resume' } | { what: 'switch'; fee: number } | { what: 'read'; view: SubscriptionView };

/**
 * A subscription of this plan. The history does not have the times at which a period begins or the subscription ends, or
 * whether a change of the plan waits for the next period. So a state is the list of all views that are possible. `mayEnd`: it
 * ends during the run, at a time that no client knows.
 */
export const subscriptionModel = (
  fee: number,
  mayEnd: boolean,
): SequentialModel<readonly string[], SubscriptionCall> => ({
  initial: possible([{ isOver: false, renews: true, fee, pending: 0 }], mayEnd),
  next(views, call) {
    const after = views.map((text) => JSON.parse(text) as SubscriptionView).flatMap((view) => viewsAfter(view, call));
    return after.length === 0 ? undefined : possible(after, mayEnd);
  },
  keyOf: (views) => views.join(),
});

function viewsAfter(view: SubscriptionView, call: SubscriptionCall): SubscriptionView[] {
  const { isOver, renews, fee, pending } = view;
  switch (call.what) {
    case 'read':
      return isSameView(view, call.view) ? [view] : [];
    case 'cancel':
      // A cancellation of a canceled or ended subscription changes nothing. It also ends the wait for another plan.
      return isOver || !renews ? [view] : [{ isOver, renews: false, fee, pending: 0 }];
    case 'resume':
      return isOver || renews ? [] : [{ ...view, renews: true }];
    case 'switch': {
      if (isOver || !renews) return [];
      const isPlanned = call.fee === fee || call.fee === pending;
      return [{ ...view, fee: call.fee, pending: 0 }, { ...view, pending: call.fee }, ...(isPlanned ? [view] : [])];
    }
  }
}

const isSameView = (one: SubscriptionView, other: SubscriptionView) =>
  one.isOver || other.isOver
    ? one.isOver === other.isOver
    : one.renews === other.renews && one.fee === other.fee && one.pending === other.pending;

/** With the views after a new period or the end, sorted. */
function possible(views: readonly SubscriptionView[], mayEnd: boolean): string[] {
  const begun = views.flatMap((view) =>
    view.isOver || view.pending === 0 ? [view] : [view, { ...view, fee: view.pending, pending: 0 }],
  );
  const all = mayEnd ? [...begun, ...begun.map((view) => ({ ...view, isOver: true }))] : begun;
  return [
    ...new Set(all.map(({ isOver, renews, fee, pending }) => JSON.stringify({ isOver, renews, fee, pending }))),
  ].sort();
}
