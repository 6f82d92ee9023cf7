# The Debian package. A copy of the tree is built, so that debian/ need not lie at the top.
LINTIAN ?= lintian --fail-on error,warning
DEB_TREE := build/deb/platen

deb:  ## install what is missing, build build/deb/platen_*.deb, looked at by lintian
	@mkdir -p build && tests/deps.sh deb
	rm -rf build/deb
	mkdir -p $(DEB_TREE)
	@if git rev-parse > /dev/null 2>&1; then git ls-files -z; else find . -path ./build -prune -o -type f -print0; fi | \
		tar -c --null -T - | tar -x -C $(DEB_TREE)
	cp -r pipeline/ops/debian $(DEB_TREE)/debian
	cd $(DEB_TREE) && DEB_BUILD_OPTIONS="$(strip $(DEB_BUILD_OPTIONS) noautodbgsym)" MAKEFLAGS= dpkg-buildpackage -us -uc -b
	$(LINTIAN) build/deb/platen_*.deb

.PHONY: deb
