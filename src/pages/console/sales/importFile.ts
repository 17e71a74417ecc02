import { itemEndpoints } from '../../../items/items.endpoints';
import { csvHead, csvLine } from '../../../kit/csv';
import { html, type Html } from '../../../kit/html';
import { PageResponse } from '../../../kit/pages/page';
import { assetAddress } from '../../layout/assets';
import { type Complaint } from '../../layout/explain';
import { checkbox, idOf, textarea } from '../../layout/forms';
import { type Texts } from '../../layout/texts';
import { folded, type MerchantVisit } from '../frame';
import { facts, mayDo } from '../lists';

/** The file of an import of customers: its field, its columns and an example. */

/** A request has at most 100 kB. */
const bytesMax = 100_000;

interface State {
  csv: string;
  sendsMails: boolean;
  complaint: Complaint | undefined;
}

export function fileFields(visit: MerchantVisit, texts: Texts, { csv, sendsMails, complaint }: State): Html {
  const { t } = texts;
  return html`<p>${t('console.imports.intro')}</p>
    ${!mayGiveAccess(visit) && html`<p class="alert">${t('console.imports.noAccess')}</p>`} ${columnsOf(texts)}
    ${fileChooser(texts)}
    ${textarea(texts, {
      name: 'csv',
      label: t('console.imports.csv'),
      value: csv,
      hint: t('console.imports.limits'),
      complaint,
      isRequired: true,
      more: { rows: '10', dir: 'ltr', spellcheck: 'false' },
    })}
    ${checkbox({ name: 'send_mails', label: t('console.imports.sendMails'), isChecked: sendsMails })}`;
}

const mayGiveAccess = (visit: MerchantVisit) => mayDo(visit, 'items:write');

/** The chooser has no name, so that the form sends the text of the file and not the file. */
function fileChooser({ t }: Texts): Html {
  return html`<div hidden data-file-part data-needs-script="${assetAddress('fileText.js')}">
    <div class="field">
      <label for="import-file">${t('console.imports.file')}</label>
      <input
        type="file"
        id="import-file"
        accept=".csv,.txt,text/csv,text/plain"
        data-file-of="${idOf('csv')}"
        data-bytes-max="${bytesMax}"
        aria-describedby="import-file-hint"
      />
      <p class="hint" id="import-file-hint">${t('console.imports.fileHint')}</p>
      <p class="complaint" role="alert" data-file-refused hidden>${t('console.imports.fileTooLarge')}</p>
    </div>
  </div>`;
}

function columnsOf({ t }: Texts): Html {
  const columns = ['email', 'full_name', 'referrer', 'date_of_birth', 'item_id', 'access_until'] as const;
  const described = columns.map((name) => [name, t(`console.imports.columns.${name}`)] as const);
  const content = html`${facts([...described, ['metadata.…', t('console.imports.columns.metadata')]])}
    <p><a href="/console/customers/import/example">${t('console.imports.example')}</a></p>`;
  return folded(t('console.imports.columnsTitle'), content, false);
}

/** Without an item, the example gives no access. */
export async function exampleFile(visit: MerchantVisit): Promise<PageResponse> {
  const query = { active: 'active', limit: 1 };
  const mayName = mayGiveAccess(visit) && mayDo(visit, 'items:read');
  const items = mayName ? (await visit.call(itemEndpoints.listItems, { query })).collection : [];
  const nextYear = `${new Date().getUTCFullYear() + 1}-12-31`;
  const access = items.map(({ id }) => [id, nextYear] as const).at(0) ?? ['', ''];
  const columns = ['email', 'full_name', ...(mayGiveAccess(visit) ? ['item_id', 'access_until'] : [])];
  const cells = ['ana@example.org', 'Ana Petrova', ...access].slice(0, columns.length);
  const content = csvHead(columns) + csvLine(cells);
  return new PageResponse(content, {
    contentType: 'text/csv; charset=utf-8',
    headers: { 'Content-Disposition': 'attachment; filename="customers.csv"' },
  });
}
