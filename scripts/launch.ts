import { messageOf } from './launcher/words';

/** `npm start`. The settings are checked while the rest is loaded; an error in them is printed as one line. */
async function main(): Promise<void> {
  if (process.argv.includes('--tls')) {
    const { provideTls } = await import('./launcher/tls.js');
    // Before the settings are read.
    Object.assign(process.env, provideTls(process.env));
  }
  const { launch } = await import('./launcher/launcher.js');
  await launch();
}

main().catch((error: unknown) => {
  console.error(messageOf(error));
  process.exit(1);
});
