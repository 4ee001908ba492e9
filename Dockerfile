FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/dist ./dist
COPY --from=build /app/fixtures ./fixtures
COPY --from=build /app/scenarios ./scenarios
COPY --from=build /app/schemas ./schemas
# For `--data /data` with a volume there, which takes over whom this folder belongs to.
RUN mkdir /data && chown node:node /data
USER node
EXPOSE 4020
# Asks where the options of process 1, the environment and the config file say that it listens.
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s --retries=3 \
  CMD ["node", "dist/cli/main.js", "health", "--pid", "1"]
# The program is process 1 and takes SIGTERM itself. Arguments of `docker run` replace the second line.
ENTRYPOINT ["node", "dist/cli/main.js"]
CMD ["serve", "--host", "0.0.0.0"]
