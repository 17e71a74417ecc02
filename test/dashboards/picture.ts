import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import sharp from 'sharp';
import { html, Html } from '../../src/kit/html';
import { lineChart } from '../../src/pages/charts/charts';
import { consoleStyleSheet } from '../../src/pages/layout/style';
import { textsFor } from '../../src/pages/layout/texts';
import { startChromium } from '../support/chromium';
import { shownUnit } from './dashboard';
import { type FilledPanel } from './panels';

/** A picture of a dashboard. The charts are those of the console, so the picture shows the data, and not Grafana. */

const width = 1440;
const ownStyles = `
  body { margin: 0; padding: 24px; background: var(--paper); }
  .panels { display: grid; grid-template-columns: repeat(24, 1fr); gap: 24px 20px; }
  .panels section { min-width: 0; }
  .panels h2 { margin: 0; font-size: 16px; }
  .panels p { margin: 0 0 8px; font-size: 13px; color: var(--quiet); }
  .chart-frame > :not(svg, .legend) { display: none; }
`;

/** The page with all panels, each as wide as the file says. */
export function dashboardPage(title: string, filled: readonly FilledPanel[]): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <title>${title}</title>
        <style>
          ${new Html(consoleStyleSheet)}${new Html(ownStyles)}
        </style>
      </head>
      <body>
        <main class="panels">${filled.map(panelSection)}</main>
      </body>
    </html>`;
  return String(page);
}

function panelSection({ panel, times, series }: FilledPanel): Html {
  const { title, description, gridPos, fieldConfig } = panel;
  const highest = Math.max(0, ...series.flatMap(({ values }) => [...values.values()]));
  const { factor, name: unit } = shownUnit(fieldConfig.defaults.unit, highest);
  const drawn = series.map(({ name, values }) => ({
    name,
    values: times.map((at) => (values.get(at) ?? NaN) * factor),
  }));
  const texts = textsFor({ languages: ['en-GB'] });
  const heading = unit === '' ? title : `${title} (${unit})`;
  return html`<section style="grid-column: span ${gridPos.w}">
    <h2>${heading}</h2>
    <p>${description}</p>
    ${lineChart({ texts, title: heading, labels: times.map(timeOf), series: drawn })}
  </section>`;
}

const timeOf = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 19);

/** Writes the page as a WebP picture. */
export async function takePicture(page: string, file: string): Promise<void> {
  const chromium = await startChromium();
  try {
    const { page: tab } = await chromium.newVisitor({ width, hasScripts: false });
    await tab.setContent(page);
    const picture = await tab.screenshot({ fullPage: true });
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, await sharp(picture).webp({ quality: 80 }).toBuffer());
  } finally {
    await chromium.close();
  }
}
