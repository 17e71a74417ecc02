import { type Books } from '../books';
import { type Recorded } from '../history';
import { actorsByAccount, type Attempts, nameIn, operationsOf } from '../operations';
import { type Found } from './violation';

/** Kinds whose answers name what was made. A change of a subscription is answered again with its present outcome. */
const naming: readonly Attempts['what'][] = ['register', 'subscribe', 'pay', 'give', 'redeem', 'refund', 'advance'];

/** A key has one effect: after the first success all its answers say the same, and no row exists that no key can have made. */
export function checkOneEffect(history: readonly Recorded[], books: Books): Found[] {
  const operations = operationsOf(history);
  return [
    ...operations.filter(({ key, what }) => key !== undefined && naming.includes(what)).flatMap(differentAnswers),
    ...unnamedRows(operations, ['subscribe'], books.subscriptions),
    ...unnamedRows(operations, ['pay', 'give', 'redeem'], books.payments),
  ];
}

/** A refusal has no effect, so the same request is decided again: a voucher without uses left may get one back. */
function differentAnswers({ operation, key, answers, lines }: Attempts): Found[] {
  const first = answers.findIndex(({ status }) => status < 300);
  if (first < 0) return [];
  const said = answers
    .slice(first)
    .map((answer) => `${answer.status} ${nameIn(answer) ?? answer.body.ahead ?? ''}`.trim());
  const different = [...new Set(said)];
  if (different.length < 2) return [];
  return [{ what: `operation ${operation}: the key ${key} was answered with ${different.join(' and ')}`, lines }];
}

/** Rows that no answer names, if there are more of them than requests without an answer. */
function unnamedRows(
  operations: readonly Attempts[],
  kinds: readonly Attempts['what'][],
  rows: readonly { token: string; accountUuid: string }[],
): Found[] {
  const made = operations.filter(({ what }) => kinds.includes(what));
  const named = new Set(made.flatMap(({ answers }) => answers.map(nameIn)));
  const actors = actorsByAccount(operations);
  const unnamed = Map.groupBy(
    rows.filter(({ token }) => !named.has(token)),
    ({ accountUuid }) => actors.get(accountUuid) ?? accountUuid,
  );
  return [...unnamed].flatMap(([actor, unknownRows]) => {
    const own = made.filter((operation) => operation.actor === actor);
    const unanswered = own.filter(({ isUnknown }) => isUnknown);
    if (unknownRows.length <= unanswered.length) return [];
    const tokens = unknownRows.map(({ token }) => token).join(', ');
    return [
      {
        what: `${actor} has ${tokens}, which no answer names, and ${unanswered.length} requests without an answer`,
        lines: own.flatMap(({ lines }) => lines),
      },
    ];
  });
}
