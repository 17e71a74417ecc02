import { auditEndpoints } from '../../../audit/audit.endpoints';
import { mayCall } from '../../../kit/auth';
import { type ChartNote } from '../../charts/charts';
import { type Texts } from '../../layout/texts';
import { type RangeVisit, type ReportQuery } from './range';

/** The changes of prices in the range of a report, from the audit log. */

const changes = ['create', 'update', 'delete'] as const;
/** The newest changes of each kind that are read. */
const readMax = 100;
/** More notes cover the chart. */
const shownMax = 6;

/**
 * The changes as notes of a chart with these periods: one for each period, the newest ones. None for a follower who
 * may not read the audit log.
 */
export async function priceNotes(
  visit: RangeVisit,
  { t }: Texts,
  periods: readonly string[],
  { to }: Pick<ReportQuery, 'to'>,
): Promise<ChartNote[]> {
  const { listAudit } = auditEndpoints;
  const [first] = periods;
  if (first === undefined || !mayCall(listAudit.auth, visit.caller)) return [];
  const found = new Map<number, Map<(typeof changes)[number], number>>();
  for (const change of changes) {
    const query = { action: `access_fee.${change}`, limit: readMax };
    const { collection } = await visit.call(listAudit, { query });
    for (const { created_at: seconds } of collection) {
      const day = new Date(seconds * 1000).toISOString().slice(0, 10);
      if (day < first || day > to) continue;
      const at = periods.findLastIndex((period) => period <= day);
      const counts = found.get(at) ?? new Map<(typeof changes)[number], number>();
      found.set(at, counts.set(change, (counts.get(change) ?? 0) + 1));
    }
  }
  return [...found]
    .sort(([one], [other]) => one - other)
    .slice(-shownMax)
    .map(([at, counts]) => {
      const text = [...counts]
        .map(([change, count]) => `${t(`console.charts.note.${change}`)}${count > 1 ? ` (${count})` : ''}`)
        .join(', ');
      const [only] = counts.keys();
      const action = counts.size === 1 && only ? `?action=access_fee.${only}` : '';
      return { at, text, address: `/console/audit${action}` };
    });
}
