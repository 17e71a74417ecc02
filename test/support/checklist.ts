import { enterConsole } from './pageWalker';
import { type TestApp } from './startApp';

/** The page of the overview, and the steps to the first sale on it. Done steps have no address. */
export async function checklistOf(app: Pick<TestApp, 'address'>, email: string) {
  const walker = await enterConsole(app, email);
  const { text } = await walker.open('/console');
  const [, list = ''] = /<section class="card stack checklist">([^]*?)<\/section>/.exec(text) ?? [];
  const steps = list
    .split('<li>')
    .slice(1)
    .map((line) => {
      const [name = ''] =
        line.replaceAll(/<svg[^]*?<\/svg>|<span class="sign[^]*?<\/span>/g, '').match(/[^<>\s][^<>]*(?=<\/)/) ?? [];
      return [name, /<a class="strong" href="([^"]+)"/.exec(line)?.[1] ?? 'done'] as const;
    });
  return { walker, text, steps, progress: /\d+ of \d+ done/.exec(list)?.[0] };
}
