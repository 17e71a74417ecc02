import { type Recorded } from '../history';
import { operationsOf, nameIn, type Attempts } from '../operations';
import { type Found } from './violation';

/** Kinds that can open an item to the customer who asks. */
const opening: readonly Attempts['what'][] = ['subscribe', 'pay', 'redeem'];

/** No answer is an internal error. Lists have what was accepted before, and access needs a purchase. */
export function checkAnswers(history: readonly Recorded[]): Found[] {
  const operations = operationsOf(history);
  const ofActor = Map.groupBy(operations, ({ actor }) => actor);
  return [
    ...history.flatMap((entry) =>
      entry.kind === 'answered' && entry.status === 500
        ? [{ what: `operation ${entry.operation} was answered 500`, lines: [entry.line] }]
        : [],
    ),
    ...[...ofActor.values()].flatMap((own) =>
      own.flatMap((operation) => [...missingInList(operation, own), ...openedForNothing(operation, own)]),
    ),
  ];
}

function missingInList({ what, actor, accepted, sent, lines }: Attempts, own: readonly Attempts[]): Found[] {
  const { listed } = accepted?.body ?? {};
  if (what !== 'list' || !listed) return [];
  const from = sent.find(({ attempt }) => attempt === accepted?.attempt)?.line ?? Infinity;
  const known = own.filter((one) => one.what === 'subscribe' && one.accepted && one.accepted.line < from);
  return known.flatMap((one) => {
    const token = one.accepted && nameIn(one.accepted);
    if (token === undefined || listed.includes(token)) return [];
    return [{ what: `the list of ${actor} does not have ${token}`, lines: [...one.lines, ...lines] }];
  });
}

function openedForNothing({ what, actor, accepted, fields, lines }: Attempts, own: readonly Attempts[]): Found[] {
  if (what !== 'check' || !accepted) return [];
  const item = fields['item'];
  const isBought = own.some(
    (one) =>
      opening.includes(one.what) && one.fields['item'] === item && (one.sent[0]?.line ?? Infinity) < accepted.line,
  );
  return isBought ? [] : [{ what: `${actor} has access to item ${String(item)} without a purchase`, lines }];
}
