import { type Books } from '../books';
import { type Recorded } from '../history';
import { actorsByAccount, type Attempts, nameIn, operationsOf } from '../operations';
import { type Found } from './violation';

const day = 86_400;
const ended = ['canceled', 'expired', 'revoked', 'incomplete_expired'];

/** Accepted requests have their effect: purchases are decided, refunds are made, clocks have moved, cancellations hold. */
export function checkAcknowledged(history: readonly Recorded[], books: Books): Found[] {
  const operations = operationsOf(history);
  return [
    ...operations.flatMap((operation) => lostPurchase(operation, books)),
    ...forgottenCancellations(operations, books),
    ...wrongRefunds(operations, books),
    ...wrongClocks(operations, books),
  ];
}

function lostPurchase({ what, accepted, lines }: Attempts, { subscriptions, payments }: Books): Found[] {
  if (!accepted || !['subscribe', 'pay', 'give', 'redeem'].includes(what)) return [];
  const token = nameIn(accepted) ?? 'nothing';
  const row = [...subscriptions, ...payments].find((one) => one.token === token);
  if (!row) return [{ what: `${token} was accepted, and does not exist`, lines }];
  return row.state === 'incomplete' ? [{ what: `${token} was accepted, and is not decided`, lines }] : [];
}

/** The last change of a subscription that its client asked for was a cancellation. */
function forgottenCancellations(operations: readonly Attempts[], { subscriptions }: Books): Found[] {
  const changes = operations.filter(({ what }) => ['cancel', 'resume', 'switch'].includes(what));
  const ofSubscription = Map.groupBy(changes, ({ fields }) => fields['subscription']);
  return [...ofSubscription].flatMap(([token, asked]) => {
    const last = asked.findLast(({ isUnknown, accepted }) => isUnknown || accepted);
    const row = subscriptions.find((one) => one.token === token);
    if (last?.what !== 'cancel' || !last.accepted || !row?.isRenewing || ended.includes(row.state)) return [];
    return [{ what: `${row.token} was canceled, and renews`, lines: last.lines }];
  });
}

/** An erasure also refunds what the customer can no longer use. */
function wrongRefunds(operations: readonly Attempts[], { refunds, payments, accounts }: Books): Found[] {
  const erased = new Set(accounts.filter(({ isErased }) => isErased).map(({ accountUuid }) => accountUuid));
  const ofErased = new Set(payments.filter((one) => erased.has(one.accountUuid)).map(({ token }) => token));
  const asked = operations.filter(({ what }) => what === 'refund');
  return [...Map.groupBy(asked, ({ fields }) => String(fields['transaction']))].flatMap(([token, all]) => {
    const rows = refunds.filter(({ subject }) => subject === token);
    const least = all.filter(({ accepted }) => accepted).length;
    const most = least + all.filter(({ isUnknown }) => isUnknown).length;
    const lines = all.flatMap((one) => one.lines);
    const open = rows.filter(({ state }) => state === 'open' || state === 'pending');
    const isWrong = rows.length < least || (rows.length > most && !ofErased.has(token));
    return [
      ...(isWrong
        ? [{ what: `${token}: ${least} to ${most} refunds were accepted, ${rows.length} exist`, lines }]
        : []),
      ...open.map(({ key }) => ({ what: `${token}: the refund ${key} is not decided`, lines })),
    ];
  });
}

function wrongClocks(operations: readonly Attempts[], { clocks }: Books): Found[] {
  const moves = operations.filter(({ what }) => what === 'advance');
  const merchants = actorsByAccount(operations);
  return [...Map.groupBy(moves, ({ actor }) => actor)].flatMap(([actor, all]) => {
    const sum = (chosen: Attempts[]) => chosen.reduce((days, { fields }) => days + Number(fields['advance']) / day, 0);
    const least = sum(all.filter(({ accepted }) => accepted));
    const most = least + sum(all.filter(({ isUnknown }) => isUnknown));
    const clock = clocks.find(({ merchantUuid }) => merchants.get(merchantUuid) === actor);
    const days = (clock?.aheadSeconds ?? 0) / day;
    if (days >= least && days <= most) return [];
    return [
      {
        what: `${actor} moved its clock by ${least} to ${most} days, and it is ${days} ahead`,
        lines: all.flatMap((one) => one.lines),
      },
    ];
  });
}
