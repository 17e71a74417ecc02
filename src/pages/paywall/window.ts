import { html } from '../../kit/html';
import { type PageResponse, type PageResponseOptions } from '../../kit/pages/page';
import { feeContent } from '../customer/fees';
import { listening } from '../customer/listening';
import { shownFees } from './due';
import { address, type Paywall, stage, stageId, windowStep } from './parts';

/**
 * Wallets and the provider's form do not work in a frame of another site. There the checkout opens in its own window.
 */
export const needsWindow = ({ visit, fees, cardEntry }: Paywall) =>
  cardEntry.form !== undefined && visit.isEmbedded && fees.length > 0;

/** Whether the request only checks. Then it replaces the stage by the item, and by nothing else. */
export const isCheck = ({ visit }: Paywall, step: string | undefined) => step === windowStep && visit.isFragment;

export const unchanged = (paywall: Paywall): PageResponse =>
  stage(paywall, html``, { headers: { 'HX-Reswap': 'none' } });

/** The stage in the frame while the checkout window is open. The frame shows the item as soon as it is open. */
export async function windowStage(
  paywall: Paywall,
  { gift }: { gift?: string | undefined },
  options: PageResponseOptions = {},
): Promise<PageResponse> {
  const { t } = paywall.texts;
  const fees = await shownFees(paywall, paywall.fees);
  const prices = fees.map(
    (fee) => html`<li class="choice still">${feeContent(paywall.texts, fee, { beside: fees })}</li>`,
  );
  const kept = gift === 'true' ? { gift } : {};
  const again = address(paywall, '', { step: windowStep, ...kept });
  const content = html`<section class="card stack" ${listening(paywall, { again, target: stageId })}>
    <h2 tabindex="-1" data-focus>${t('paywall.checkoutTitle')}</h2>
    <ul class="plain-list">
      ${prices}
    </ul>
    <p>
      <a class="button main full" href="${address(paywall, '', kept)}" target="_blank" rel="noopener"
        >${t('paywall.payInWindow')}</a
      >
    </p>
    <p class="quiet small centred" role="status">${t('paywall.payInWindowHint')}</p>
  </section>`;
  return stage(paywall, content, options);
}
