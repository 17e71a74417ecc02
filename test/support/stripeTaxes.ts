import { randomUUID } from 'node:crypto';
import { failure, type Answered, type Fields } from './stripeAccounts';

/** Stripe Tax, as far as the adapter uses it: calculations within an amount or on top of it, recorded sales and their reversals. */

interface Rate {
  country: string;
  state?: string;
  percent: number;
  reason?: string;
}

interface Address {
  country: string;
  postal_code?: string;
}

interface Transaction {
  id: string;
  type: 'transaction' | 'reversal';
  reference: string;
  line: string;
  amount: number;
  tax: number;
  of?: string;
}

export interface StripeTaxes {
  /** What a calculation was asked for, oldest first. */
  calculations: Map<string, Fields>;
  transactions: Transaction[];
  /** The taxes of a place. Undefined if the address is too short. */
  ratesOf: (address: Address, isBusiness: boolean) => Rate[] | undefined;
}

const ratesOf: StripeTaxes['ratesOf'] = ({ country, postal_code: code }, isBusiness) => {
  if (country === 'US' && (code === undefined || code === '00000')) return undefined;
  if (country === 'US')
    return [4, 4.5, 0.375].map((percent) => ({ country, state: 'NY', percent, reason: 'standard_rated' }));
  // Stripe Tax has no registrations for these places.
  if (country === 'MC' || country === 'IM') return [{ country, percent: 0, reason: 'not_supported' }];
  if (country === 'JP') return [{ country, percent: 0, reason: 'not_collecting' }];
  if (isBusiness && country !== 'DE') return [{ country, percent: 0, reason: 'reverse_charge' }];
  return [{ country, percent: country === 'AT' ? 20 : 19, reason: 'standard_rated' }];
};

interface Asked {
  currency: string;
  line_items: { amount: string; tax_behavior: string; reference: string }[];
  customer_details: { address: Address; tax_ids?: unknown[] };
}

export function createStripeTaxes() {
  const taxes: StripeTaxes = { calculations: new Map(), transactions: [], ratesOf };

  const calculate = (fields: Fields): Answered => {
    const { line_items: lines, customer_details: customer, currency } = fields as unknown as Asked;
    const amount = Number(lines[0]?.amount);
    const isNet = lines[0]?.tax_behavior === 'exclusive';
    const rates = taxes.ratesOf(customer.address, customer.tax_ids !== undefined);
    if (!rates) return refusal('customer_tax_location_invalid', 'The location of the customer is not recognized.');
    const id = `taxcalc_${randomUUID()}`;
    const whole = isNet ? 100 : 100 + rates.reduce((sum, { percent }) => sum + percent, 0);
    const parts = rates.map((rate) => ({
      ...partOf(rate),
      inclusive: !isNet,
      amount: Math.round((amount * rate.percent) / whole),
    }));
    const tax = parts.reduce((sum, part) => sum + part.amount, 0);
    taxes.calculations.set(id, { ...fields, amount, tax });
    const totals = isNet
      ? { amount_total: amount + tax, tax_amount_inclusive: 0, tax_amount_exclusive: tax }
      : { amount_total: amount, tax_amount_inclusive: tax, tax_amount_exclusive: 0 };
    return { status: 200, body: { id, object: 'tax.calculation', currency, ...totals, tax_breakdown: parts } };
  };

  const record = ({ calculation, reference }: Fields): Answered => {
    const calculated = taxes.calculations.get(String(calculation));
    if (!calculated) return refusal('resource_missing', `No such calculation: ${String(calculation)}`);
    return add({
      type: 'transaction',
      reference: String(reference),
      amount: Number(calculated['amount']),
      tax: Number(calculated['tax']),
    });
  };

  const reverse = (fields: Fields): Answered => {
    const { original_transaction: of, reference, line_items: lines } = fields as unknown as Reversal;
    const original = taxes.transactions.find(({ id }) => id === of);
    const [line] = lines;
    if (!original || !line || line.original_line_item !== original.line)
      return refusal('resource_missing', 'No such transaction.');
    const reversed = { amount: Number(line.amount), tax: Number(line.amount_tax) };
    const left = taxes.transactions.filter((one) => one.id === of || one.of === of);
    const sum = (name: 'amount' | 'tax') => left.reduce((total, one) => total + one[name], 0) + reversed[name];
    if (sum('amount') < 0 || sum('tax') < 0) return refusal('', 'The reversal is greater than what is left.');
    return add({ type: 'reversal', reference, of, ...reversed });
  };

  const add = (made: Omit<Transaction, 'id' | 'line'>): Answered => {
    if (taxes.transactions.some(({ reference }) => reference === made.reference))
      return refusal('resource_already_exists', `The reference ${made.reference} was used.`);
    const row = { id: `tax_${randomUUID()}`, line: `tax_li_${randomUUID()}`, ...made };
    taxes.transactions.push(row);
    const line = { id: row.line, object: 'tax.transaction_line_item' };
    const line_items = { object: 'list', data: [line], has_more: false, url: '/v1/tax' };
    return { status: 200, body: { id: row.id, object: 'tax.transaction', reference: row.reference, line_items } };
  };

  const answerTax = (path: string, fields: Fields): Answered => {
    if (path === '/v1/tax/calculations') return calculate(fields);
    if (path === '/v1/tax/transactions/create_from_calculation') return record(fields);
    if (path === '/v1/tax/transactions/create_reversal') return reverse(fields);
    return failure(404, { type: 'invalid_request_error', message: `No such path: ${path}` });
  };
  return { taxes, answerTax };
}

interface Reversal {
  original_transaction: string;
  reference: string;
  line_items: { original_line_item: string; amount: string; amount_tax: string }[];
}

const partOf = ({ country, state = null, percent, reason }: Omit<Rate, 'state'> & { state?: string | null }) => ({
  inclusive: true,
  taxability_reason: reason,
  taxable_amount: 0,
  tax_rate_details: { country, state, percentage_decimal: String(percent), tax_type: 'vat' },
});

const refusal = (code: string, message: string) => failure(400, { type: 'invalid_request_error', code, message });
