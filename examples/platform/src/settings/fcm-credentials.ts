import { createPrivateKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { FcmCredentials } from "../push/fcm-transport.ts";
import { SettingError } from "./setting-error.ts";

const credentialsSchema = z.object({
  type: z.literal("service_account"),
  project_id: z.string().min(1),
  client_email: z.string().min(1),
  // Google accepts only RSA keys.
  private_key: z.string().refine((pem) => createPrivateKey(pem).asymmetricKeyType === "rsa"),
});

/**
 * Reads a service account key from the file that OFFERS_FCM_CREDENTIALS refers to.
 *
 * @throws {SettingError} with the file's path, but without its content
 */
export async function readFcmCredentials(path: string): Promise<FcmCredentials> {
  try {
    const content = credentialsSchema.parse(JSON.parse(await readFile(path, "utf8")));
    return { projectId: content.project_id, clientEmail: content.client_email, privateKey: content.private_key };
  } catch (cause) {
    const remedy = "download one from the Firebase console";
    throw new SettingError(`OFFERS_FCM_CREDENTIALS: ${path} does not contain a service account key; ${remedy}`, {
      cause,
    });
  }
}
