import { accessCodeEndpoints } from '../../items/accessCodes.endpoints';
import { sealEntry, unsealEntry } from '../../items/accessCodes';
import { AppError } from '../../kit/errors';
import { html } from '../../kit/html';
import { PageResponse, type PageResponseOptions } from '../../kit/pages/page';
import { contentFrame } from '../layout/content';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, field, form, submit } from '../layout/forms';
import { itemContent } from './content';
import { address, type Paywall, stage, stageId, titleOf, withPageToken } from './parts';
import { type Reason, unavailableStage } from './unavailable';

/** Access codes open an item without an account, on a limited number of devices. */

export interface CodeForm {
  code?: string | undefined;
  /** The device id that the browser stores (`data-device`). */
  device?: string | undefined;
}

export const isOpenedByCode = ({ item }: Paywall) => item.is_active && item.access_control_type.name === 'Code';

export function codeStage(
  paywall: Paywall,
  { code, complaint }: CodeForm & { complaint?: Complaint } = {},
  options: PageResponseOptions = {},
): PageResponse {
  const { texts, visit } = paywall;
  const { t } = texts;
  const label = t('paywall.code');
  const content = html`${complaints(texts, complaint, { code: label })}
    <input type="hidden" name="device" value="${visit.visitorName}" data-device />
    ${field(texts, { name: 'code', label, value: code, autocomplete: 'off', maxlength: 100, isRequired: true, complaint, more: { dir: 'ltr', spellcheck: 'false', 'data-secret': '' } })}
    ${submit(t('paywall.openWithCode'), { isFull: true })}`;
  const body = html`<section class="card stack">
    <h2 tabindex="-1" ${complaint ? '' : html`data-focus`}>${t('paywall.codeTitle')}</h2>
    <p class="quiet">${t('paywall.codeHint')}</p>
    ${form(visit, { action: address(paywall, 'code'), target: stageId, content, name: 'code' })}
  </section>`;
  return stage(paywall, body, options);
}

export async function enterCode(paywall: Paywall, sent: CodeForm): Promise<PageResponse> {
  const { item, texts } = paywall;
  const outcome = await attempt(texts, () => entryOf(paywall, sent));
  if ('refused' in outcome) return refusedStage(paywall, sent, outcome);
  const opened = sealEntry({ itemId: item.id, code: sent.code ?? '', device: deviceOf(paywall, sent) });
  const at = withPageToken(paywall, address(paywall, 'code-content', { opened }));
  const content = html`<section class="stack">
    <h1 tabindex="-1" data-focus><bdi>${titleOf(item)}</bdi></h1>
    ${contentFrame({ address: at, title: titleOf(item) })}
  </section>`;
  return stage(paywall, content, { hasCard: false, tell: { type: 'paywall.unlocked', expires_at: 0, is_new: false } });
}

/**
 * The content without the page, for the frame. The device is already counted. `opened`: the encrypted code from the
 * frame's address.
 */
export async function codeContent(paywall: Paywall, opened: string | undefined): Promise<PageResponse> {
  const sent = unsealEntry(opened ?? '', paywall.item.id);
  if (sent === undefined) throw new AppError('access_not_found');
  const { content } = await entryOf(paywall, sent);
  return new PageResponse(itemContent({ ...paywall.item, content }), { isForeign: true });
}

function entryOf(paywall: Paywall, sent: CodeForm) {
  const { visit, item } = paywall;
  const body = { item_id: String(item.id), code: sent.code, browser_fingerprint: deviceOf(paywall, sent) };
  return visit.call(accessCodeEndpoints.enterAccessCode, { body });
}

const deviceOf = ({ visit }: Paywall, { device = '' }: CodeForm) => (device === '' ? visit.visitorName : device);

type Refused = Extract<Awaited<ReturnType<typeof attempt>>, { refused: Complaint }>;

function refusedStage(paywall: Paywall, { code }: CodeForm, { refused, error }: Refused): PageResponse {
  if (error.code !== 'access_restricted') return codeStage(paywall, { code, complaint: refused }, { status: 422 });
  const by = Object.keys(error.details.errors ?? {});
  const kinds: Reason[] = ['geo', 'domain'];
  return unavailableStage(paywall, kinds.find((kind) => by.includes(kind)) ?? 'age');
}
