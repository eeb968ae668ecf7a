import { delimiter, dirname } from "node:path";

/** What the network of this machine may need. */
const inherited = /^(?:(?:https?|no)_proxy|node_extra_ca_certs|npm_config_registry)$/i;

/**
 * The environment of a reader with a home of their own and this Node.
 *
 * @param node the path of its binary
 */
export function readerEnvironment(home: string, node: string): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => inherited.test(name)) as [string, string][];
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    TMPDIR: home,
    PATH: [dirname(node), process.env.PATH].join(delimiter),
  };
}
