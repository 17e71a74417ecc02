import { accessEndpoints } from '../../entitlements/entitlements.endpoints';
import { AppError } from '../../kit/errors';
import { html, type Written } from '../../kit/html';
import { type PageResponse, type PageResponseOptions } from '../../kit/pages/page';
import { checkRestrictions } from '../../restrictions/restrictions';
import { socialRefusal } from '../customer/entry';
import { contentFrame } from '../layout/content';
import { icon } from '../layout/icons';
import { type Texts } from '../layout/texts';
import { endOfTimeSeconds } from '../layout/lists';
import { tooYoungStage } from './birthDate';
import { captureStage, opensForAddress, strangersStage } from './capture';
import { checkoutStage, type Choice } from './checkout';
import { debitStage, findUndecided } from './debits';
import { offer } from '../customer/offer';
import { isOpenedByCode } from './codes';
import { address, canGive, type Paywall, stage, stepLink, titleOf, windowStep, withPageToken } from './parts';
import { pinStage } from './pin';
import { membersOf, unpricedStage } from './unpriced';
import { type Reason, unavailableStage } from './unavailable';
import { count } from './visits';
import { isCheck, needsWindow, unchanged, windowStage } from './window';

export type StepQuery = Choice & {
  step?: string | undefined;
  /** The pass of a visitor who has left an address. */
  pass?: string | undefined;
  /** The reason why a sign-in at another service failed. */
  refused?: string | undefined;
  /** Whether a form was sent after the end of the session. */
  ended?: string | undefined;
};

/** The current stage of a visitor: the content if the visitor has access, otherwise the next step towards it. */
export async function currentStage(
  paywall: Paywall,
  wanted: StepQuery = {},
  options: PageResponseOptions = {},
): Promise<PageResponse> {
  const { visit, place } = paywall;
  if (!visit.caller) {
    if (isCheck(paywall, wanted.step)) return unchanged(paywall);
    const refused = await refusedBeforeSignIn(paywall);
    if (refused) return refused;
    await count(paywall, 'paywall_view');
    return (await strangersStage(paywall, wanted.pass, options)) ?? offerStage(paywall, wanted, options);
  }
  try {
    const access = await visit.call(accessEndpoints.checkAccess, { params: { id: place.item_id } });
    if (wanted.gift !== 'true' && 'expires_at' in access)
      return contentStage(paywall, access, { ...options, isNew: wanted.step === windowStep });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'access_restricted') return restrictedStage(paywall, error, options);
    if (error.code !== 'access_not_found') throw error;
  }
  const undecided = wanted.gift === 'true' ? undefined : await findUndecided(paywall);
  if (undecided) return debitStage(paywall, undecided, options);
  if (isCheck(paywall, wanted.step)) return unchanged(paywall);
  await count(paywall, 'paywall_view');
  if (opensForAddress(paywall)) return captureStage(paywall, {}, options);
  if (needsWindow(paywall)) return windowStage(paywall, wanted, options);
  return checkoutStage(paywall, wanted, {}, options);
}

/** Checks domain and country before the sign-in, so that a visitor does not register for nothing. */
async function refusedBeforeSignIn(paywall: Paywall): Promise<PageResponse | undefined> {
  const { visit, item } = paywall;
  const { host, refererHost, clientAddress: address } = visit.request;
  const visitor = { merchantId: item.merchant_id, dateOfBirth: null, host, refererHost, address };
  const { outcomes } = await checkRestrictions(visitor, item.id);
  const refused = outcomes.find(({ kind, outcome }) => outcome === 'refused' && kind !== 'age');
  return refused && unavailableStage(paywall, refused.kind);
}

function restrictedStage(
  paywall: Paywall,
  error: AppError,
  options: PageResponseOptions,
): Promise<PageResponse> | PageResponse {
  const by = Object.keys(error.details.errors ?? {});
  if (by.includes('pin')) return pinStage(paywall, {}, options);
  if (by.includes('age') && !by.includes('geo')) return tooYoungStage(paywall, options);
  const kinds: Reason[] = ['geo', 'domain'];
  const reason = kinds.find((kind) => by.includes(kind)) ?? 'domain';
  return unavailableStage(paywall, reason, options);
}

/** The prices, and the links to sign in and register. */
async function offerStage(
  paywall: Paywall,
  { refused }: StepQuery = {},
  options: PageResponseOptions = {},
): Promise<PageResponse> {
  const { fees, texts, item } = paywall;
  const { t } = texts;
  const isFree = item.is_active && ['Auth', 'DataCapture'].includes(item.access_control_type.name);
  if (fees.length === 0 && !isFree) return unpricedStage(paywall, options);
  const link = (query: Record<string, string>, text: Written, className = '') =>
    stepLink(paywall, query, text, className);
  const content = html`<section class="stack" tabindex="-1" ${refused === undefined ? html`data-focus` : ''}>
    ${socialRefusal(paywall, refused)} ${offer(texts, { fees, isFree, below: membersOf(paywall), link })}
    ${isOpenedByCode(paywall) && html`<p class="centred small">${stepLink(paywall, { step: 'code' }, t('paywall.haveCode'))}</p>`}
    ${
      canGive(paywall)
        ? html`<p class="centred small">
            ${stepLink(paywall, { step: 'register', gift: 'true' }, t('paywall.buyGift'))}
          </p>`
        : ''
    }
  </section>`;
  return stage(paywall, content, { ...options, tell: { type: 'paywall.shown' } });
}

interface OpenedContent {
  /** Unix seconds. */
  expires_at: number;
  item: { content: string };
}

const daySeconds = 86_400;

/** The day on which access ends, with the time if that is soon. */
function endText({ date, dateTime }: Texts, expiresAt: number): string {
  const isSoon = expiresAt - Date.now() / 1000 < 2 * daySeconds;
  return isSoon ? dateTime(expiresAt) : date(expiresAt);
}

/** The content, in a frame that has no access to the page. */
export function contentStage(
  paywall: Paywall,
  { expires_at: expiresAt, item: opened }: OpenedContent,
  options: PageResponseOptions & { isNew?: boolean } = {},
): PageResponse {
  const { texts, item, members } = paywall;
  const { t } = texts;
  const { isNew = false, ...shown } = options;
  const lasts =
    expiresAt >= endOfTimeSeconds
      ? t('paywall.accessForEver')
      : t('paywall.accessUntil', { date: endText(texts, expiresAt) });
  const frame = contentFrame({ address: withPageToken(paywall, address(paywall, 'content')), title: titleOf(item) });
  const content = html`<section class="stack">
    <div class="alert good" role="status" tabindex="-1" data-focus>
      <p class="strong">${t(isNew ? 'paywall.thankYou' : 'paywall.alreadyHaveAccess')}</p>
      <p>${lasts}</p>
    </div>
    <h1><bdi>${titleOf(item)}</bdi></h1>
    ${opened.content.trim() === '' && members.length > 0 ? '' : frame} ${membersOf(paywall)}
    <p class="row middle small">
      <a class="button slim" href="/portal/${item.merchant_uuid}" target="_blank" rel="noopener"
        >${icon('user')}${t('paywall.manage')}</a
      >
      ${canGive(paywall) && stepLink(paywall, { gift: 'true' }, t('paywall.buyGift'))}
    </p>
  </section>`;
  const tell = { type: 'paywall.unlocked', expires_at: expiresAt, is_new: isNew };
  return stage(paywall, content, { ...shown, hasCard: false, tell });
}
