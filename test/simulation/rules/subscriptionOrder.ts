import { type Books, type SubscriptionRow } from '../books';
import { type Recorded, type Told } from '../history';
import { type ObjectCall } from '../linearizability';
import { subscriptionModel, type SubscriptionCall, type SubscriptionView } from '../models';
import { type Attempts, nameIn, operationsOf } from '../operations';
import { begin, call, interval, judge, maybe } from './linearizable';
import { type Found } from './violation';

const over = ['canceled', 'expired', 'revoked', 'incomplete_expired'];

/** The changes and the reads of each subscription have one order that explains all answers and its row at the end. */
export function checkSubscriptionOrder(history: readonly Recorded[], { subscriptions }: Books): Found[] {
  const end = history.length + 1;
  const operations = operationsOf(history);
  const bought = new Map(
    operations.flatMap((one) =>
      one.what === 'subscribe' && one.accepted ? [[nameIn(one.accepted), Number(one.fields['fee'])] as const] : [],
    ),
  );
  const ofSubscription = Map.groupBy(operations, ({ fields }) => fields['subscription']);
  return subscriptions.flatMap((row) => {
    const fee = bought.get(row.token);
    if (fee === undefined) return [];
    const calls = (ofSubscription.get(row.token) ?? []).flatMap((operation) => callsOf(operation, end));
    const last = call<SubscriptionCall>([end, end + 1], { what: 'read', view: viewOf(row) });
    const model = subscriptionModel(fee, over.includes(row.state));
    return judge(`the subscription ${row.token}`, [...calls, last], model);
  });
}

const viewOf = ({ state, isRenewing, feeId, pendingFeeId }: SubscriptionRow): SubscriptionView => ({
  isOver: over.includes(state),
  renews: isRenewing,
  fee: feeId,
  pending: pendingFeeId,
});

function callsOf(operation: Attempts, end: number): ObjectCall<SubscriptionCall>[] {
  const { what, accepted, isUnknown, unheard, fields, lines } = operation;
  if (what === 'view') {
    const view = accepted && viewIn(accepted.body);
    return view ? [call(interval(operation), { what: 'read', view }, lines)] : [];
  }
  if (what === 'cancel') {
    // A cancellation has no key, so each request without an answer is one of its own. One that no run has answered in time
    // is accepted, and takes effect later.
    const others = unheard.map(({ line }) => maybe<SubscriptionCall>(begin(operation), { what }, [line]));
    return accepted ? [...others, call([begin(operation), end], { what }, lines)] : others;
  }
  if (what !== 'resume' && what !== 'switch') return [];
  const input: SubscriptionCall = what === 'switch' ? { what, fee: Number(fields['fee']) } : { what };
  const isDone = accepted !== undefined && accepted.status === 200;
  if (isDone) return [call(interval(operation), input, lines)];
  return accepted || isUnknown ? [maybe(begin(operation), input, lines)] : [];
}

/** Undefined before the first payment is decided. */
function viewIn({ status = '', cancel_at_period_end: isEnding, ...told }: Told): SubscriptionView | undefined {
  if (status === '' || status === 'incomplete') return undefined;
  const { access_fee_id: fee = 0, pending_access_fee_id: pending = 0 } = told;
  return { isOver: over.includes(status), renews: isEnding !== true, fee, pending };
}
