import { accessEndpoints } from '../../items/access/endpoints';
import { AppError } from '../../kit/errors';
import { html } from '../../kit/html';
import { type Shown, type ShownOptions } from '../../kit/pages/page';
import { checkRestrictions } from '../../restrictions/service';
import { tokenForm } from '../customer/entry';
import { contentFrame } from '../layout/content';
import { tooYoungStage } from './birthDate';
import { captureStage, opensForAddress, strangersStage } from './capture';
import { checkoutStage, type Choice } from './checkout';
import { feeContent } from '../customer/fees';
import { isOpenedByCode } from './codes';
import { address, canGive, keptGift, type Paywall, stage, stepLink, titleOf, withPageToken } from './parts';
import { pinStage } from './pin';
import { membersOf, unpricedStage } from './unpriced';
import { type Reason, unavailableStage } from './unavailable';
import { count } from './visits';

export type Wanted = Choice & {
  step?: string | undefined;
  /** Of who has left an address. */
  pass?: string | undefined;
};

/** Where a visitor is: the content for who has access, else what stands between. */
export async function currentStage(paywall: Paywall, wanted: Wanted = {}, options: ShownOptions = {}): Promise<Shown> {
  const { visit, place } = paywall;
  if (!visit.caller) {
    const refused = await refusedBeforeSignIn(paywall);
    if (refused) return refused;
    await count(paywall, 'paywall_view');
    return (await strangersStage(paywall, wanted.pass, options)) ?? offerStage(paywall, wanted, options);
  }
  try {
    const access = await visit.call(accessEndpoints.checkAccess, { params: { id: place.item_id } });
    if (wanted.gift !== 'true' && 'expires_at' in access) return contentStage(paywall, access, options);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'access_restricted') return restrictedStage(paywall, error, options);
    if (error.code !== 'access_not_found') throw error;
  }
  await count(paywall, 'paywall_view');
  if (opensForAddress(paywall)) return captureStage(paywall, {}, options);
  return checkoutStage(paywall, wanted, {}, options);
}

/** Nobody registers for what they cannot see then: domain and country are known before. */
async function refusedBeforeSignIn(paywall: Paywall): Promise<Shown | undefined> {
  const { visit, item } = paywall;
  const { host, clientAddress } = visit.request;
  const visitor = { merchantId: item.merchant_id, dateOfBirth: null, host, address: clientAddress };
  const { outcomes } = await checkRestrictions(visitor, item.id);
  const refused = outcomes.find(({ kind, outcome }) => outcome === 'refused' && kind !== 'age');
  return refused && unavailableStage(paywall, refused.kind);
}

function restrictedStage(paywall: Paywall, error: AppError, options: ShownOptions): Promise<Shown> | Shown {
  const by = Object.keys(error.details.errors ?? {});
  if (by.includes('pin')) return pinStage(paywall, {}, options);
  if (by.includes('age') && !by.includes('geo')) return tooYoungStage(paywall, options);
  const kinds: Reason[] = ['geo', 'domain'];
  const reason = kinds.find((kind) => by.includes(kind)) ?? 'domain';
  return unavailableStage(paywall, reason, options);
}

/** What it costs, and the way in. */
function offerStage(paywall: Paywall, { gift }: Choice = {}, options: ShownOptions = {}): Shown {
  const { fees, texts, item } = paywall;
  const { t } = texts;
  const isFree = item.is_active && ['Auth', 'DataCapture'].includes(item.access_control_type.name);
  if (fees.length === 0 && !isFree) return unpricedStage(paywall, options);
  const prices = fees.map((fee) => html`<li class="choice still">${feeContent(texts, fee)}</li>`);
  const content = html`<section class="stack" tabindex="-1" data-focus>
    ${tokenForm(paywall, address(paywall, 'session'), keptGift(gift))}
    <h2>${isFree ? t('paywall.freeForRegistered') : t('paywall.choose')}</h2>
    ${
      isFree
        ? ''
        : html`<ul class="plain-list">
            ${prices}
          </ul>`
    }
    ${membersOf(paywall)}
    ${stepLink(paywall, { step: 'register' }, t(isFree ? 'paywall.register' : 'paywall.getAccess'), 'button main offer full')}
    <p class="centred">${t('paywall.haveAccount')} ${stepLink(paywall, { step: 'sign-in' }, t('common.signIn'))}</p>
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

interface Opened {
  /** Unix seconds. */
  expires_at: number;
  item: { content: string };
}

/** The content itself, in a frame that reaches nothing of ours. */
export function contentStage(
  paywall: Paywall,
  { expires_at: expiresAt, item: opened }: Opened,
  options: ShownOptions & { isNew?: boolean } = {},
): Shown {
  const { texts, item, members } = paywall;
  const { t } = texts;
  const { isNew = false, ...shown } = options;
  const lasts =
    expiresAt >= endOfTimeSeconds
      ? t('paywall.accessForEver')
      : t('paywall.accessUntil', { date: texts.dateTime(expiresAt) });
  const frame = contentFrame({ address: withPageToken(paywall, address(paywall, 'content')), title: titleOf(item) });
  const content = html`<section class="stack">
    <div class="alert good" role="status" tabindex="-1" data-focus>
      <p class="strong">${t(isNew ? 'paywall.thankYou' : 'paywall.alreadyHaveAccess')}</p>
      <p>${lasts}</p>
    </div>
    <h1><bdi>${titleOf(item)}</bdi></h1>
    ${opened.content.trim() === '' && members.length > 0 ? '' : frame} ${membersOf(paywall)}
    <p class="row middle small">
      <a href="/portal/${item.merchant_uuid}" target="_blank" rel="noopener">${t('paywall.manage')}</a>
      ${canGive(paywall) && stepLink(paywall, { gift: 'true' }, t('paywall.buyGift'))}
    </p>
  </section>`;
  const tell = { type: 'paywall.unlocked', expires_at: expiresAt, is_new: isNew };
  return stage(paywall, content, { ...shown, hasCard: false, tell });
}

/** The last second that 32 bits hold stands for no end. */
const endOfTimeSeconds = 0x7fffffff;
