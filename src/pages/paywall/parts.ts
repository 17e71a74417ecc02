import { brandingEndpoints } from '../../branding/branding.endpoints';
import { offeredFeeEndpoints } from '../../vouchers/feeRules.endpoints';
import { assetEndpoints } from '../../items/assets.endpoints';
import { packageEndpoints } from '../../items/packages.endpoints';
import { listHolders } from '../../items/packages';
import { html, type Html, type Written } from '../../kit/html';
import { type PageResponse, type PageResponseOptions, type Visit } from '../../kit/pages/page';
import { getCardEntry, type CardEntry } from '../../subscriptions/paymentForm';
import { type Fee } from '../customer/fees';
import { merchantTexts } from '../customer/merchantTexts';
import { pitch } from '../customer/offer';
import { protectedLabel } from '../customer/preview';
import { type AnswerOf, type RowOf } from '../layout/answers';
import { form, submit } from '../layout/forms';
import { closeButton, show } from '../layout/page';
import { type Texts } from '../layout/texts';
import { type Theme, themeOf } from '../layout/theme';

/** The data of every stage: the item, its prices for the visitor, and the merchant's branding. */

export type Item = AnswerOf<typeof assetEndpoints.getItem>;

type Card = RowOf<typeof packageEndpoints.listPackageItems>;
export type Holder = Pick<Card, 'id' | 'title'> & { access_fees: readonly Fee[] };

export interface PaywallPath {
  merchant_uuid: string;
  item_id: number;
}

export interface Paywall {
  visit: Visit;
  place: PaywallPath;
  texts: Texts;
  theme: Theme;
  item: Item;
  fees: readonly Fee[];
  /** The items of the package. */
  members: readonly Card[];
  /** The packages on sale that contain an item without its own price. */
  holders: readonly Holder[];
  /** How the merchant accepts cards. */
  cardEntry: CardEntry;
}

export async function openPaywall(visit: Visit & { params: PaywallPath }): Promise<Paywall> {
  const { params: place } = visit;
  const [brand, item, fees] = await Promise.all([
    visit.call(brandingEndpoints.getDefaultBrand, { params: { merchant_uuid: place.merchant_uuid } }),
    visit.call(assetEndpoints.getItem, { params: { merchant_uuid: place.merchant_uuid, id: place.item_id } }),
    visit.call(offeredFeeEndpoints.listAccessFees, { params: { id: place.item_id } }),
  ]);
  const sold = item.is_active ? fees : [];
  const [members, holders, cardEntry] = await Promise.all([
    item.item_type.name === 'package' ? membersOf(visit, item) : [],
    item.is_active && fees.length === 0 ? holdersOf(visit, item) : [],
    getCardEntry(item.merchant_id),
  ]);
  const texts = await merchantTexts(visit, item.merchant_id);
  return { visit, place, texts, theme: themeOf(brand), item, fees: sold, members, holders, cardEntry };
}

async function membersOf(visit: Visit, { id }: Item): Promise<readonly Card[]> {
  const sent = { params: { id }, query: { limit: '100' } };
  return (await visit.call(packageEndpoints.listPackageItems, sent)).collection;
}

async function holdersOf(visit: Visit, { id }: Item): Promise<Holder[]> {
  const ids = await listHolders(id);
  const found = await Promise.all(
    ids.map(async (holder) => {
      const one = await visit.call(packageEndpoints.getPackage, { params: { id: holder } });
      if (!('access_fees' in one) || one.access_fees.length === 0) return [];
      const fees = await visit.call(offeredFeeEndpoints.listAccessFees, { params: { id: holder } });
      return [{ id: holder, title: one.title, access_fees: fees }];
    }),
  );
  return found.flat();
}

/** `/paywall/<merchant>/<item>` and the paths below it. */
export function address({ place }: Pick<Paywall, 'place'>, step = '', query: Record<string, string> = {}): string {
  const parameters = new URLSearchParams(query).toString();
  const path = `/paywall/${place.merchant_uuid}/${place.item_id}${step === '' ? '' : `/${step}`}`;
  return parameters === '' ? path : `${path}?${parameters}`;
}

/** The value of `step` in the requests by which a frame or another tab checks whether the item is open now. */
export const windowStep = 'window';

/** The id of the element that each step replaces. */
export const stageId = 'paywall';

interface StageOptions extends PageResponseOptions {
  /** A message to the page that embeds the frame. */
  tell?: object;
  hasCard?: boolean;
}

/** One step: the item's card, and the content of the step below it. htmx receives it without the rest of the page. */
export function stage(
  paywall: Paywall,
  content: Html,
  { tell, hasCard = true, ...options }: StageOptions = {},
): PageResponse {
  const { visit, theme, item, texts } = paywall;
  const frame = {
    title: titleOf(item),
    theme,
    isNarrow: true,
    isBare: visit.isEmbedded,
    paymentForm: isPaidHere(paywall) ? paywall.cardEntry.form : undefined,
  };
  const message = tell === undefined ? '' : html`data-tell="${JSON.stringify({ item_id: item.id, ...tell })}"`;
  return show(
    visit,
    frame,
    html`<div id="${stageId}" class="${hasCard ? 'split' : 'stack'}" ${message}>
      ${visit.isEmbedded ? closeButton(texts) : ''} ${hasCard ? soldAt(paywall) : ''}
      <div class="step stack">
        ${content} ${hasCard ? protectedLabel(texts, theme) : ''} ${signOutLine(paywall)}
        ${hasCard && !visit.caller && otherTabs(paywall)}
      </div>
    </div>`,
    options,
  );
}

/**
 * The element by which a step shows the item as soon as another tab has opened it. A signed-in visitor has a socket for it
 * (`data-listen`). Every visitor hears the other tabs of the browser (`data-await`).
 */
export function otherTabs(paywall: Paywall): Html {
  const { visit, place } = paywall;
  const again = address(paywall, '', { step: windowStep });
  const attributes = html`hx-get="${again}" hx-target="#${stageId}" hx-swap="outerHTML" hx-trigger="told"`;
  const socket = visit.caller && !visit.isOff('push') && html`data-listen="${place.merchant_uuid}"`;
  return html`<div hidden data-await ${socket} ${attributes}></div>`;
}

/** Whether the purchase is possible on this page. The provider's form does not work in a frame of another site. */
const isPaidHere = ({ visit, fees }: Paywall) => !visit.isEmbedded && fees.length > 0;

export const titleOf = ({ metahash, title }: Item) => metahash['preview_title'] || title;

/** The item before its purchase. */
function soldAt({ visit, fees, item, theme, texts }: Paywall): Html {
  const { metahash, age_restriction: age } = item;
  const isRenewed = !visit.caller && fees.some(({ access_type: { name } }) => name === 'subscription');
  const shown = {
    title: titleOf(item),
    description: metahash['preview_description'] ?? '',
    picture: httpsOr(metahash['preview_image'] ?? metahash['paywall_cover_photo'], theme.coverUrl),
    minAge: age?.min_age,
  };
  return pitch(texts, theme, { item: shown, isRenewed });
}

const httpsOr = (wanted: string | undefined, fallback: string) =>
  wanted !== undefined && /^https?:\/\//i.test(wanted) ? wanted : fallback;

/** The sign-out. It shows the first step again at the same address. */
function signOutLine({ visit, place, texts }: Paywall): Html {
  if (!visit.caller) return html``;
  const content = submit(texts.t('common.signOut'), { kind: 'plain' });
  const action = address({ place }, 'sign-out');
  return form(visit, { action, target: stageId, content, name: 'sign-out', className: 'centred small' });
}

/** A link to another step, without a new page. The step has an address, to which Back and a reload lead. */
export function stepLink(paywall: Paywall, query: Record<string, string>, text: Written, className = ''): Html {
  const to = address(paywall, '', query);
  const shown = withToken(paywall.visit, to);
  return html`<a
    class="${className}"
    href="${shown}"
    hx-get="${to}"
    hx-push-url="${shown}"
    hx-target="#${stageId}"
    hx-swap="outerHTML"
    >${text}</a
  >`;
}

/** An address with the page token. The token names the page that embeds the paywall, so plain links must contain it. */
export function withToken(visit: Visit, to: string): string {
  return visit.isEmbedded ? withPageToken({ visit }, to) : to;
}

/** What a visitor has chosen before the sign-in: a plan, or a gift. */
export interface EarlyChoice {
  fee?: string | undefined;
  gift?: string | undefined;
}

/** The choice as the query of an address. */
export const choiceQuery = ({ fee, gift }: EarlyChoice): Record<string, string> => ({
  ...(fee !== undefined && /^\d{1,15}$/.test(fee) && { fee }),
  ...(gift === 'true' && { gift }),
});

/** The choice as fields of a form, so that it is kept until the visitor has signed in. */
export const keptChoice = (choice: EarlyChoice): Html =>
  html`${Object.entries(choiceQuery(choice)).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  )}`;

/** Whether the paywall offers a fee as a gift. It offers no subscriptions and no free fees. */
export const isGiftable = ({ access_type: { name } }: Fee) => name !== 'subscription' && name !== 'freemium';

export const canGive = ({ item, fees, visit }: Paywall) =>
  item.is_giftable && !visit.isOff('gifts') && fees.some(isGiftable);

/**
 * A request with the page token. Later requests come from the frame itself, so the token names the page that embeds it.
 */
export function withPageToken({ visit }: Pick<Paywall, 'visit'>, to: string): string {
  return `${to}${to.includes('?') ? '&' : '?'}_token=${encodeURIComponent(visit.pageToken)}`;
}
