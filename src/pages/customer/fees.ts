import { type offeredFeeEndpoints } from '../../vouchers/feeRules.endpoints';
import { html, type Html } from '../../kit/html';
import { type RowOf } from '../layout/answers';
import { type Texts } from '../layout/texts';

/** Prices as text. */

export type Fee = RowOf<typeof offeredFeeEndpoints.listAccessFees>;

/** `€9.99 a month`, `€4.99 for 2 days`. */
export function priceOf(texts: Texts, fee: Fee): string {
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

/** `month`, `2 months`: the text after “every” or “first”. */
export function periodText({ t }: Texts, quantity: number, period: string): string {
  const unit = unitOf(period);
  return unit === undefined ? `${quantity} ${period}` : t(`periods.${unit}`, { count: quantity });
}

/** `1 month`, `2 months`. */
function durationText({ t }: Texts, quantity: number, period: string): string {
  const unit = unitOf(period);
  return unit === undefined ? `${quantity} ${period}` : t(`durations.${unit}`, { count: quantity });
}

/** The trial and the setup fee of a price. */
export function termsOf(texts: Texts, fee: Fee): string[] {
  const { t } = texts;
  const trial = fee.trial_period;
  const setup = fee.setup_fee;
  return [
    ...(trial ? [t('paywall.trial', { time: periodText(texts, trial.quantity, trial.period) })] : []),
    ...(setup ? [t('paywall.setupFee', { price: texts.money(setup.fee_amount, fee.currency) })] : []),
    ...(fee.access_type.name === 'subscription' ? [t('paywall.cancelAnyTime')] : []),
  ];
}

/** The content of a price, for a radio button or a line. */
export function feeContent(texts: Texts, fee: Fee, { isTrialGone = false } = {}): Html {
  const terms = termsOf(texts, isTrialGone ? { ...fee, trial_period: null } : fee);
  return html`<span class="fee">
    <span class="strong"><bdi>${fee.description}</bdi></span>
    <span class="amount-line">${priceOf(texts, fee)}</span>
    ${terms.length > 0 ? html`<span class="quiet small">${terms.join(' · ')}</span>` : ''}
  </span>`;
}
