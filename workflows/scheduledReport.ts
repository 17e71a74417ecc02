import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { inBackground } from './background';
import { type ReportMailed, type ScheduledReportInput } from './messages';
import { show } from './operator';
import { report } from './policies';

const { mailReport } = proxyActivities<Activities>(report);

/** The time at which the schedule was to start this run. After an outage it is earlier than the start. */
const meantFor = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

/** Makes the report of one period and mails it. */
export async function scheduledReport(input: ScheduledReportInput): Promise<ReportMailed> {
  const { typedSearchAttributes, startTime } = workflowInfo();
  const at = typedSearchAttributes.get(meantFor) ?? startTime;
  show('running', '### Gathering\nThe report goes from the database into mails.');
  const mailed = await mailReport.executeWithOptions(inBackground(), [{ ...input, atMs: input.atMs ?? at.getTime() }]);
  show(mailed.state, detailsOf(mailed));
  return mailed;
}

function detailsOf(mailed: ReportMailed): string {
  if (mailed.state === 'ended') return '### Ended\nThe schedule was deleted.';
  if (mailed.state === 'off') return '### Nothing to do\nMailed reports are turned off.';
  if (mailed.state === 'unread') return '### Nothing to do\nNo recipient has agreed to the report.';
  const range = `${mailed.from} to ${mailed.to}`;
  return mailed.state === 'mailed' ? `### Mailed\n${range}` : `### Nothing to do\n${range} was mailed before.`;
}
