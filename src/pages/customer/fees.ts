import { type offeredFeeEndpoints } from '../../vouchers/feeRules.endpoints';
import { html, type Html } from '../../kit/html';
import { type RowOf } from '../layout/answers';
import { type Texts } from '../layout/texts';
import { savingOf } from './savings';

/** Prices as text. */

export type Fee = RowOf<typeof offeredFeeEndpoints.listAccessFees>;

/** What is shown of a price. */
export interface ShownFee extends Pick<Fee, 'amount' | 'currency' | 'description' | 'expires_at'> {
  access_type: Pick<Fee['access_type'], 'name' | 'quantity' | 'period'>;
  trial_period: Pick<NonNullable<Fee['trial_period']>, 'quantity' | 'period'> | null;
  setup_fee: Pick<NonNullable<Fee['setup_fee']>, 'fee_amount'> | null;
  tax_behavior?: Fee['tax_behavior'];
  shown_price?: Fee['shown_price'];
}

/** The fee with the amounts of its visitor's country. */
export function asShown(fee: ShownFee): ShownFee {
  const { shown_price: shown, setup_fee: setup } = fee;
  if (!shown) return fee;
  return {
    ...fee,
    amount: shown.amount,
    setup_fee: setup && { ...setup, fee_amount: shown.setup_fee_amount },
    tax_behavior: shown.with_tax ? undefined : 'exclusive',
    shown_price: undefined,
  };
}

/** `€9.99 a month`, `€4.99 for 2 days`, `€9.99 a month plus tax`. */
export function priceOf(texts: Texts, stored: ShownFee): string {
  const fee = asShown(stored);
  const price = wholePriceOf(texts, fee);
  const isPlain = fee.tax_behavior === undefined || fee.access_type.name === 'freemium';
  return isPlain ? price : texts.t('paywall.plusTax', { price });
}

function wholePriceOf(texts: Texts, fee: ShownFee): string {
  const price = texts.money(fee.amount, fee.currency);
  const { name, quantity, period } = fee.access_type;
  if (name === 'freemium') return texts.t('paywall.free');
  if (name === 'ppv_custom') return texts.t('paywall.priceUntil', { price, date: texts.date(fee.expires_at) });
  if (name === 'subscription')
    return texts.t('paywall.priceEvery', { price, time: periodText(texts, quantity, period) });
  return texts.t('paywall.priceFor', { price, time: durationText(texts, quantity, period) });
}

const units = ['hour', 'day', 'week', 'month', 'year'] as const;
const unitOf = (period: string) => units.find((name) => name === period);

/** `month`, `2 months`: the text after “every”. A language may include its “every”. */
export function periodText({ t }: Texts, quantity: number, period: string): string {
  const unit = unitOf(period);
  return unit === undefined ? `${quantity} ${period}` : t(`periods.${unit}`, { count: quantity });
}

/** `1 month`, `2 months`. */
export function durationText({ t }: Texts, quantity: number, period: string): string {
  const unit = unitOf(period);
  return unit === undefined ? `${quantity} ${period}` : t(`durations.${unit}`, { count: quantity });
}

/** The trial and the setup fee of a price. */
export function termsOf(texts: Texts, fee: ShownFee): string[] {
  const { t } = texts;
  const trial = fee.trial_period;
  const setup = fee.setup_fee;
  return [
    ...(trial ? [t('paywall.trial', { time: durationText(texts, trial.quantity, trial.period) })] : []),
    ...(setup ? [t('paywall.setupFee', { price: texts.money(setup.fee_amount, fee.currency) })] : []),
    ...(fee.access_type.name === 'subscription' ? [t('paywall.cancelAnyTime')] : []),
  ];
}

interface Shown {
  isTrialGone?: boolean;
  /** The prices beside it, of which a longer plan may save something. */
  beside?: readonly ShownFee[];
}

/** The content of a price, for a radio button or a line. */
export function feeContent(texts: Texts, stored: ShownFee, { isTrialGone = false, beside = [] }: Shown = {}): Html {
  const fee = asShown(stored);
  const terms = termsOf(texts, isTrialGone ? { ...fee, trial_period: null } : fee);
  const saving = savingOf(texts, fee, beside.map(asShown));
  return html`<span class="fee">
    <span class="strong"
      ><bdi>${fee.description}</bdi>${saving && html` <span class="saving">${saving.share}</span>`}</span
    >
    ${terms.length > 0 ? html`<span class="quiet small">${terms.join(' · ')}</span>` : ''}
    <span class="fee-price"
      >${withLargeAmount(texts, fee)}${saving && html` <span class="quiet small">${saving.monthly}</span>`}</span
    >
  </span>`;
}

/** `€9.99 every month`, with the amount on a line of its own. */
function withLargeAmount(texts: Texts, fee: ShownFee): Html {
  const whole = priceOf(texts, fee);
  const isFree = fee.access_type.name === 'freemium';
  const amount = isFree ? whole : texts.money(fee.amount, fee.currency);
  const [before = '', after = ''] = whole.split(amount);
  const small = (text: string) => text.trim() !== '' && html`<span class="quiet small">${text.trim()}</span>`;
  return html`${small(before)} <span class="amount-line">${amount}</span> ${small(after)}`;
}
