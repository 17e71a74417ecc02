import { html, type Html } from '../../kit/html';
import { type PageResponse, type PageResponseOptions } from '../../kit/pages/page';
import { feeContent } from '../customer/fees';
import { codeStage, isOpenedByCode } from './codes';
import { shownFees } from './due';
import { address, type Holder, type Paywall, stage, withToken } from './parts';
import { unavailableStage } from './unavailable';

/** The stage of an item without its own price: a code or a package opens it, or it is not on sale. */
export async function unpricedStage(paywall: Paywall, options: PageResponseOptions): Promise<PageResponse> {
  if (isOpenedByCode(paywall)) return codeStage(paywall, {}, options);
  return paywall.holders.length > 0
    ? holdersStage(paywall, options)
    : unavailableStage(paywall, 'not_on_sale', options);
}

async function holdersStage(paywall: Paywall, options: PageResponseOptions): Promise<PageResponse> {
  const { t } = paywall.texts;
  const packages = await Promise.all(paywall.holders.map((holder) => holderCard(paywall, holder)));
  const content = html`<section class="stack" tabindex="-1" data-focus>
    <h2>${t('paywall.inPackages')}</h2>
    <ul class="plain-list">
      ${packages}
    </ul>
  </section>`;
  return stage(paywall, content, { ...options, tell: { type: 'paywall.shown' } });
}

async function holderCard(paywall: Paywall, { id, title, access_fees: stored }: Holder): Promise<Html> {
  const { texts } = paywall;
  const fees = await shownFees(paywall, stored);
  return html`<li class="card stack">
    <h3><bdi>${title}</bdi></h3>
    ${fees.map((fee) => feeContent(texts, fee))}
    <p>${linkTo(paywall, id, texts.t('paywall.seePackage'), 'button main offer full')}</p>
  </li>`;
}

/** The items of a package, with their links. */
export function membersOf(paywall: Paywall): Html {
  const { members, texts } = paywall;
  if (members.length === 0) return html``;
  const links = members.map(({ id, title }) => html`<li>${linkTo(paywall, id, title)}</li>`);
  return html`<section class="card stack">
    <h2>${texts.t('paywall.inThisPackage')}</h2>
    <ul class="plain-list">
      ${links}
    </ul>
  </section>`;
}

function linkTo({ visit, place }: Paywall, itemId: number, text: string, className = ''): Html {
  const to = withToken(visit, address({ place: { ...place, item_id: itemId } }));
  return html`<a class="${className}" href="${to}"><bdi>${text}</bdi></a>`;
}
