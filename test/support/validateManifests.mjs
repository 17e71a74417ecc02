// Reads manifests as a JSON list from standard input, and writes what the schemas of Kubernetes say against them.
import { text } from 'node:stream/consumers';

const complaints = [];
for (const manifest of JSON.parse(await text(process.stdin))) {
  const { apiVersion, kind, metadata } = manifest;
  const models = await import(`kubernetes-models/${apiVersion}`).catch(() => ({}));
  try {
    if (models[kind] === undefined) throw new Error('is of no known kind');
    new models[kind](manifest).validate();
  } catch (error) {
    complaints.push(`${kind} ${metadata?.name}: ${error.message}`);
  }
}
console.log(JSON.stringify(complaints));
