import { type ReceiptLine } from '../billing/invoiceLines';
import { type MailKey, type Words } from './words';

/** The table in a mail: what was bought, what it costs, and when. */

export interface Fact {
  label: string;
  value: string;
  isTotal?: true;
}

type LabelOf<Key> = Key extends `facts.${infer Name}` ? Name : never;
type Label = LabelOf<MailKey>;
export type DayLabel = Extract<
  Label,
  'paidOn' | 'paidUntil' | 'renewsOn' | 'accessUntil' | 'trialEnds' | 'endedOn' | 'cardEnds'
>;

/** The parts of a receipt that add up to what was due, and the tax within it. */
export interface ReceiptParts {
  lines?: ReceiptLine[];
  tax?: { amountMinor: number; rateMilli: number };
}

/** The part of the balance that a charge settled: the credit that it used, or the debt that it collected. */
export interface BalanceSettlement {
  settled?: { kind: 'credit' | 'debt'; amountMinor: number };
}

export interface PurchaseFacts extends ReceiptParts, BalanceSettlement {
  description: string;
  amountMinor: number;
  currency: string;
  date?: string;
}

export interface FactOptions {
  /** The meaning of the date. Absent: the date is not shown. */
  day?: DayLabel;
  /** Whether the amount is left out, because nothing is paid. */
  isFree?: boolean;
}

const lineLabels = { item: 'price', discount: 'discount', setup_fee: 'setupFee' } as const;

export function factsOf(values: PurchaseFacts, { t, day, money, percent }: Words, options: FactOptions): Fact[] {
  const { description, amountMinor, currency, date, lines = [], settled, tax } = values;
  const fact = (name: Label, value: string): Fact => ({ label: t(`facts.${name}`), value });
  const parts = [
    ...lines.map(({ kind, grossMinor }) => fact(lineLabels[kind], money(grossMinor, currency))),
    ...(settled
      ? [fact(settled.kind, money(settled.kind === 'credit' ? -settled.amountMinor : settled.amountMinor, currency))]
      : []),
  ];
  const total = {
    ...fact(parts.length > 0 ? 'total' : 'amount', money(amountMinor, currency)),
    isTotal: true,
  } as const;
  const taxed = tax && {
    label: t('facts.tax', { rate: percent(tax.rateMilli) }),
    value: money(tax.amountMinor, currency),
  };
  return [
    fact('plan', description),
    ...(options.isFree ? [] : [...parts, total]),
    ...(taxed ? [taxed] : []),
    ...(options.day && date !== undefined ? [fact(options.day, day(date))] : []),
  ];
}
