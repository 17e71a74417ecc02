import { auditEndpoints } from '../../audit/audit.endpoints';
import { html, type Html } from '../../kit/html';
import { type Texts } from '../layout/texts';
import { actionColumn, actorColumn, namesIn, timeColumn } from './auditEntries';
import { type MerchantVisit } from './frame';
import { fileOf, mayDo, table } from './lists';

/** An object of the merchant, as the audit log names it. */
interface ChangedObject {
  type: 'item' | 'access_fee' | 'access_code' | 'voucher' | 'country_set' | 'geo_set';
  id: string;
}

const shownMax = 5;

/**
 * The newest changes of an object, and who has made them: the rows themselves do not name their author. Empty for visitors
 * who may not read the audit log.
 */
export async function changesOf(visit: MerchantVisit, texts: Texts, { type, id }: ChangedObject): Promise<Html> {
  if (!mayDo(visit, 'accounts:read')) return html``;
  const { t } = texts;
  const about = { object_type: type, object_id: id };
  const query = { ...about, limit: shownMax };
  const { collection, total } = await visit.call(auditEndpoints.listAudit, { query });
  const names = await namesIn(visit, collection);
  const list = table({
    title: t('console.changes.title'),
    rows: collection,
    empty: t('console.changes.none'),
    columns: [timeColumn(texts), actionColumn(texts), actorColumn(visit, texts, names)],
    hasLongTexts: true,
  });
  const all = `/console/audit?${new URLSearchParams(about).toString()}`;
  return html`<section class="stack" id="changes">
    <div class="row spread">
      <h2>${t('console.changes.title')}</h2>
      ${total > collection.length && html`<a class="button slim" href="${all}">${t('console.changes.all')}</a>`}
    </div>
    ${list} ${fileOf(visit, texts, collection, { list: 'audit', query: about })}
  </section>`;
}
