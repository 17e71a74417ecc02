import { type FilledPanel } from './panels';

interface Run {
  date: string;
  commit: string;
  options: string;
  seconds: number;
  operations: number;
  /** The file name of the picture, from the folder of the report. */
  picture: string;
}

const head = `# Dashboards

\`npm run dashboards -- --report docs/dashboards.md\` writes this page and its picture. The dashboard itself is
[deploy/grafana/paywall.json](../deploy/grafana/paywall.json), for Grafana.

**The picture is not a screenshot of Grafana.** The program reads the dashboard file, starts the service as processes of its own with a replica for the reports and a mail
server, and lets customers buy, cancel, switch, refund and renew. A Prometheus with the settings of [deploy/prometheus](../deploy/prometheus/prometheus.yml) scrapes the processes, more
often than in production. The program then asks Prometheus the queries of each panel, and draws the answers with the charts of the console. So the picture shows the
real queries with real numbers, in another design than Grafana's. A query without a number ends the program with 1, and a
[test](../test/dashboards/dashboards.test.ts) runs it.

`;

/** The page about a run, with all panels and what their queries have answered. */
export function describeDashboards(
  { date, commit, options, seconds, operations, picture }: Run,
  filled: FilledPanel[],
) {
  const rows = filled.map(({ panel, series }) => {
    const values = series.flatMap((each) => [...each.values.values()]);
    const highest = Math.max(...values);
    const cells = [panel.title, panel.description, panel.targets.length, series.length, values.length, exact(highest)];
    return `| ${cells.join(' | ')} |`;
  });
  return `${head}![All panels of the dashboard after a run](${picture})

Commit ${commit}, ${date} UTC, ${operations} operations in ${seconds} s (\`npm run dashboards -- ${options}\`).

| Panel | Shows | Queries | Series | Numbers | Highest |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}

const exact = (value: number) => new Intl.NumberFormat('en', { maximumSignificantDigits: 4 }).format(value);
