import { type Route } from './routes';

const start = '<!-- endpoints -->';
const end = '<!-- /endpoints -->';

const whoCalls: Record<Route['endpoint']['auth']['kind'], string> = {
  anyone: 'anyone',
  forgiving: 'anyone',
  signedIn: 'signed in',
  consumer: 'consumer',
  merchant: 'merchant',
};

/** A README with the table of its endpoints as they are declared. */
export function withEndpointTable(readme: string, routes: readonly Route[]): string {
  const before = readme.slice(0, readme.indexOf(start) + start.length);
  const after = readme.slice(readme.indexOf(end));
  const rows = routes.map(
    ({ endpoint }) =>
      `| \`${endpoint.method.toUpperCase()} ${endpoint.path}\` | ${whoCalls[endpoint.auth.kind]} | ${endpoint.summary} |`,
  );
  return `${before}\n\n${['| call | who | what |', '| --- | --- | --- |', ...rows].join('\n')}\n\n${after}`;
}
