import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { type ReportMailed, type ScheduledReportInput } from './messages';
import { show } from './operator';
import { report } from './policies';

const { mailReport } = proxyActivities<Activities>(report);

/** When the server meant to start this run: after an outage that is earlier than when it did. */
const meantFor = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

/** One period of a report: made, and mailed to whom it is meant for. */
export async function scheduledReport(input: ScheduledReportInput): Promise<ReportMailed> {
  const { typedSearchAttributes, startTime } = workflowInfo();
  const at = typedSearchAttributes.get(meantFor) ?? startTime;
  show('running', '### Gathering\nThe report goes from the database into mails.');
  const mailed = await mailReport({ ...input, atMs: at.getTime() });
  show(mailed.state, detailsOf(mailed));
  return mailed;
}

function detailsOf(mailed: ReportMailed): string {
  if (mailed.state === 'ended') return '### Ended\nThe schedule was deleted.';
  if (mailed.state === 'off') return '### Nothing to do\nMailed reports are turned off.';
  const range = `${mailed.from} to ${mailed.to}`;
  return mailed.state === 'mailed' ? `### Mailed\n${range}` : `### Nothing to do\n${range} was mailed before.`;
}
