import { type Books } from '../books';
import { entriesOf, type Answered, type Recorded, type Sent } from '../history';
import { isLinearizable, type ObjectCall, type SequentialModel } from '../linearizability';
import {
  accessCodeModel,
  balanceModel,
  voucherModel,
  type AccessCodeCall,
  type BalanceCall,
  type VoucherCall,
} from '../models';
import { actorsByAccount, type Attempts, isPassing, nameIn, operationsOf } from '../operations';
import { type Found } from './violation';

/**
 * The requests for a voucher, a gift, an access code or a balance have one order that explains their answers and the final
 * books.
 */
export function checkLinearizable(history: readonly Recorded[], books: Books): Found[] {
  const end = history.length + 1;
  const operations = operationsOf(history);
  return [
    ...limitedCodes(operations, books).flatMap((limited) =>
      judge(`the uses of ${limited.code}`, callsOf(limited, operations, end), voucherModel(limited.limit)),
    ),
    ...books.accessCodes.flatMap(({ code, deviceLimit, devices }) => {
      const last = call<AccessCodeCall>([end, end + 1], { what: 'end', devices });
      return judge(`the devices of ${code}`, [...entriesInto(code, history), last], accessCodeModel(deviceLimit));
    }),
    ...balanceFaults(operations, books, end),
  ];
}

export function judge<State, Input>(
  what: string,
  calls: ObjectCall<Input>[],
  model: SequentialModel<State, Input>,
): Found[] {
  if (isLinearizable(calls, model) !== false) return [];
  const lines = [...new Set(calls.flatMap((one) => one.lines))].sort((a, b) => a - b);
  return [{ what: `no order of the requests explains the answers about ${what}`, lines }];
}

export function call<Input>(
  [from, to]: readonly [number, number],
  input: Input,
  lines: number[] = [],
): ObjectCall<Input> {
  return { from, to, input, isOptional: false, lines };
}

/** It may take effect at any time after it was sent, or never. */
export const maybe = <Input>(from: number, input: Input, lines: number[]): ObjectCall<Input> => ({
  ...call([from, Infinity], input, lines),
  isOptional: true,
});

interface LimitedCode {
  code: string;
  limit: number;
  usedBy: readonly string[];
  /** Undefined for a gift: the books do not have its code. */
  uses: number | undefined;
}

function limitedCodes(operations: readonly Attempts[], { vouchers }: Books): LimitedCode[] {
  const known = vouchers.map(({ code }) => code);
  const codes = operations.flatMap(({ what, fields }) => (what === 'redeem' ? String(fields['voucher_code']) : []));
  const usedBy = vouchers.filter(({ isGift }) => isGift).flatMap((gift) => gift.usedBy);
  const gifts = [...new Set(codes)].filter((code) => !known.includes(code));
  return [
    ...vouchers
      .filter(({ isGift, usageLimit }) => !isGift && usageLimit !== null)
      .map((one) => ({ code: one.code, limit: one.usageLimit ?? 0, usedBy: one.usedBy, uses: one.usageCounter })),
    ...gifts.map((code) => ({ code, limit: 1, usedBy, uses: undefined })),
  ];
}

export const begin = ({ sent }: Attempts) => sent[0]?.line ?? 0;

/** A key has one effect, before its first answer. */
export const interval = (operation: Attempts): [number, number] => [
  begin(operation),
  operation.answers[0]?.line ?? Infinity,
];

/** Purchases with the code. A purchase that fails gives its use back. The history does not have the time of that. */
function callsOf(
  { code, usedBy, uses }: LimitedCode,
  operations: readonly Attempts[],
  end: number,
): ObjectCall<VoucherCall>[] {
  const calls = operations
    .filter(({ fields }) => fields['voucher_code'] === code)
    .flatMap((operation): ObjectCall<VoucherCall>[] => {
      const { accepted, answers, lines } = operation;
      const name = (accepted && nameIn(accepted)) ?? `operation ${operation.operation}`;
      const take = { what: 'take', name } as const;
      // A gift is also refused if it is refunded, or meant for somebody else.
      if (answers[0]?.body.error === 'voucher_not_found')
        return uses === undefined ? [] : [call(interval(operation), { ...take, isTaken: false }, lines)];
      const release = maybe(begin(operation), { what: 'release', name } as const, lines);
      if (!accepted) return [maybe(begin(operation), take, lines), release];
      const taken = call(interval(operation), { ...take, isTaken: true }, lines);
      return usedBy.includes(name) ? [taken] : [taken, release];
    });
  return uses === undefined ? calls : [...calls, call([end, end + 1], { what: 'end', uses })];
}

/** Requests for an access code have no key, so each is a call of its own. */
function entriesInto(code: string, history: readonly Recorded[]): ObjectCall<AccessCodeCall>[] {
  const nameOf = ({ operation, attempt }: Pick<Sent, 'operation' | 'attempt'>) => `${operation} ${attempt}`;
  const answers = new Map(entriesOf(history, 'answered').map((answer) => [nameOf(answer), answer]));
  return entriesOf(history, 'sent')
    .filter(({ fields }) => fields['code'] === code)
    .map((sent) => entryCall(sent, answers.get(nameOf(sent))));
}

function entryCall(sent: Recorded<Sent>, answer: Recorded<Answered> | undefined): ObjectCall<AccessCodeCall> {
  const { line, what } = sent;
  const device = String(sent.fields['device']);
  const input: AccessCodeCall = what === 'leave' ? { what, device } : { what: 'enter', device };
  if (!answer || isPassing(answer)) return maybe(line, input, [line]);
  const lines = [line, answer.line];
  if (input.what === 'leave') return call([line, answer.line], input, lines);
  const isIn = answer.status < 300;
  // Another refusal, such as too many attempts, tells nothing about the devices.
  if (!isIn && answer.body.error !== 'access_code_in_use') return maybe(line, { what: 'leave', device: '' }, lines);
  return call([line, answer.line], { ...input, isIn }, lines);
}

/** The currency has no fees, so only the merchant changes these balances. An erasure ends them. */
function balanceFaults(operations: readonly Attempts[], { accounts }: Books, end: number): Found[] {
  const actors = actorsByAccount(operations);
  const ofCustomer = Map.groupBy(
    operations.filter(({ what }) => what === 'adjust' || what === 'look'),
    ({ fields }) => String(fields['customer']),
  );
  return accounts.flatMap(({ accountUuid, isErased, adjustedMinor }) => {
    const customer = actors.get(accountUuid) ?? '';
    const calls = (ofCustomer.get(customer) ?? []).flatMap(balanceCalls);
    const last = call<BalanceCall>([end, end + 1], { what: 'read', balanceMinor: adjustedMinor });
    return judge(`the balance of ${customer}`, isErased ? calls : [...calls, last], balanceModel);
  });
}

function balanceCalls(operation: Attempts): ObjectCall<BalanceCall>[] {
  const { what, accepted, isUnknown, fields, lines } = operation;
  if (what === 'adjust') {
    const input: BalanceCall = { what, amountMinor: Number(fields['amountMinor']) };
    if (accepted) return [call(interval(operation), input, lines)];
    return isUnknown ? [maybe(begin(operation), input, lines)] : [];
  }
  const balanceMinor = accepted?.body.balanceMinor;
  return balanceMinor === undefined ? [] : [call(interval(operation), { what: 'read', balanceMinor }, lines)];
}
