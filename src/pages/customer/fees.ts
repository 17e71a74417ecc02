import { type accessFeeEndpoints } from '../../items/accessFees/endpoints';
import { type Answering, type Endpoint } from '../../kit/endpoint';
import { html, type Html } from '../../kit/html';
import { type Texts } from '../layout/texts';

/** What things cost, in words. */

type AnswerOf<E> = E extends Answering<infer Body> & Endpoint ? Body : never;
export type Fee = AnswerOf<typeof accessFeeEndpoints.listAccessFees>[number];

/** `€9.99 a month`, `€4.99 for 2 days`. */
export function priceOf(texts: Texts, fee: Fee): string {
  const price = texts.money(fee.amount, fee.currency);
  const { name, quantity, period } = fee.access_type;
  if (name === 'freemium') return texts.t('paywall.free');
  if (name === 'ppv_custom') return texts.t('paywall.priceUntil', { price, date: texts.date(fee.expires_at) });
  const time = periodText(texts, quantity, period);
  return texts.t(name === 'subscription' ? 'paywall.priceEvery' : 'paywall.priceFor', { price, time });
}

export function periodText({ t }: Texts, quantity: number, period: string): string {
  const known = ['hour', 'day', 'week', 'month', 'year'] as const;
  const unit = known.find((name) => name === period);
  return unit === undefined ? `${quantity} ${period}` : t(`periods.${unit}`, { count: quantity });
}

/** What else a price brings: a trial, a setup fee. */
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

/** A price as a choice, or as a line. */
export function feeContent(texts: Texts, fee: Fee, { isTrialGone = false } = {}): Html {
  const terms = termsOf(texts, isTrialGone ? { ...fee, trial_period: null } : fee);
  return html`<span class="fee">
    <span class="strong"><bdi>${fee.description}</bdi></span>
    <span class="amount-line">${priceOf(texts, fee)}</span>
    ${terms.length > 0 ? html`<span class="quiet small">${terms.join(' · ')}</span>` : ''}
  </span>`;
}
